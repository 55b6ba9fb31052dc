//go:build !linux

package sandbox

import "runtime"

// HelperMain does nothing: there is no helper on this system.
func HelperMain([]string) {}

// climb has one rung to take.
func climb(o Options, r *root) (rig, error) {
	if !o.confined() {
		return groupRig(o, r)
	}
	reason := "no confinement on " + runtime.GOOS
	if o.Mode == Required {
		return rig{}, errUnconfined(reason)
	}
	return groupRig(o, r, reason)
}
