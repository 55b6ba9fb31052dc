package jailpath_test

import (
	"testing"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

func TestJailpath(t *testing.T) {
	RegisterFailHandler(Fail)
	RunSpecs(t, "jailpath")
}
