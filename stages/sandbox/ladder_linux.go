package sandbox

import (
	"errors"
	"fmt"
	"os"
	"slices"
)

// climb finds the highest rung by trying: on some systems namespaces can be made and then nothing mounted in them
// (AppArmor), or Landlock is compiled in and not enabled. The rung stays for good: when the helper dies and cannot be
// started again, commands are refused.
func climb(o Options, r *root) (rig, error) {
	if !o.confined() {
		return groupRig(o, r)
	}
	var refused []string
	for _, namespaces := range []bool{true, false} {
		if namespaces && o.noNamespaces {
			continue
		}
		g, err := jailedRig(o.setup(namespaces), r)
		if errors.Is(err, errSilent) { // perhaps only slow: once more
			g, err = jailedRig(o.setup(namespaces), r)
		}
		switch {
		case err == nil:
			g.report.Refused = refused
			return g, nil
		case errors.Is(err, errSilent):
			return rig{}, err
		}
		name := "landlock"
		if namespaces {
			name = "namespaces"
		}
		refused = append(refused, fmt.Sprintf("%s: %v", name, err))
	}
	if o.Mode == Required {
		return rig{}, errUnconfined(refused...)
	}
	return groupRig(o, r, refused...)
}

func (o Options) setup(namespaces bool) setup {
	readOnly := o.ReadOnly
	if self, err := os.Executable(); err == nil {
		readOnly = append([]string{self}, readOnly...)
	}
	return setup{
		Jail: o.Jail, Slots: o.Slots, Namespaces: namespaces, Network: o.Network,
		Read: slices.Concat(o.Path, o.Read), Write: o.Write,
		ReadOnly: readOnly, Home: o.Home, Limits: o.Limits, Landlock: o.landlock,
	}
}

// jailedRig starts a helper and the slots that lead to it. Without Landlock's scopes each slot has a helper, and with
// it a PID namespace, of its own. A namespace for each command would do as well, but for one thing: its process 1 can
// join the process group of a child that then ends, and no kill ends it any more, because the kernel waits for the
// child's number, which process 1 itself keeps in use.
func jailedRig(s setup, r *root) (_ rig, err error) {
	hosts := []*host{{setup: s}}
	if s.Namespaces && landlockABI(s.Landlock) < scopedABI {
		one := s
		one.Slots = 1
		hosts = nil
		for range s.Slots {
			hosts = append(hosts, &host{setup: one})
		}
	}
	g := rig{close: func() {
		for _, h := range hosts {
			h.close()
		}
	}}
	defer func() {
		if err != nil {
			for _, slot := range g.slots {
				slot.close()
			}
			g.close()
		}
	}()
	for _, h := range hosts {
		for i := range h.setup.Slots {
			slot, err := newJailedSlot(h, i, r)
			if err != nil {
				return rig{}, err
			}
			g.slots = append(g.slots, slot)
			if err := slot.connect(); err != nil {
				return rig{}, err
			}
		}
	}
	g.report = hosts[0].setup.report(hosts[0].now.ready)
	return g, nil
}

// report says what the helper's setup holds and leaves open.
func (s setup) report(ready readiness) Report {
	r := Report{Rung: 1, Confinement: byNamespaces, Kill: killNamespace, LandlockABI: ready.Landlock}
	open := func(when bool, what string) {
		if when {
			r.Open = append(r.Open, what)
		}
	}
	switch {
	case !s.Namespaces:
		r.Rung, r.Confinement, r.Kill = 2, byLandlock, killGroupOnly
		if ready.Sweep {
			r.Kill = killScope
		}
	case ready.Landlock > 0:
		r.Confinement += "+" + byLandlock
	}
	if s.Namespaces && ready.Landlock >= scopedABI {
		r.Kill += "+" + killScope
	}
	open(s.Network, "commands reach the network, this machine's own and metadata services included")
	open(true, "what commands write in the jail is run by whoever runs it later")
	open(s.Limits.MaxProcesses > 0 && os.Geteuid() == 0 && !(s.Namespaces && ready.PIDs),
		"max_processes does not hold root on this kernel")
	if s.Namespaces {
		open(s.Limits.MaxProcesses > 0 && ready.Landlock < scopedABI, "max_processes holds for each command by itself, not for all together")
		return r
	}
	open(true, "commands see the names, sizes and times of files outside, and change the mode, times and attributes of the user's own")
	open(true, "protected files inside the jail, such as .git/hooks and a policy there, can be written")
	open(true, "a command can kill the helper, and with it the commands that run at the same time")
	open(!ready.Sweep, "commands can send signals to the user's other processes")
	open(!ready.Sweep, "a command that leaves its process group with setsid outlives its end")
	open(s.Limits.MaxProcesses > 0, "max_processes counts the user's processes outside, too")
	return r
}
