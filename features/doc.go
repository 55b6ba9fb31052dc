// Package features holds the guarantees of the README as black-box specs: each
// drives the built program, over standard input and output as a client would or
// from the command line as a person would. There is one file for a guarantee.
package features
