//go:build linux && !amd64 && !arm64

package sandbox

// auditArch is zero where the filter was never tried; commands then run on the lowest rung.
const auditArch uint32 = 0

var refusedCallsHere []uint32
