package trail_test

import (
	"testing"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

func TestTrail(t *testing.T) {
	RegisterFailHandler(Fail)
	RunSpecs(t, "trail")
}
