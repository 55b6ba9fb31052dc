package pipeline

import (
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
)

// A Plan lists the stages of a chain. The three kinds run in field order and
// each slice runs in its own order: what is written here is what happens.
type Plan struct {
	Gates      []Gate
	Actions    []Action
	Finalizers []Finalizer

	// Log gets what clients must not see. Nil discards it.
	Log *slog.Logger
}

// An OrderError is one broken rule, found by [Plan.Build].
type OrderError struct {
	Stage Role   // the stage whose rule it is
	Rule  string // "after", "before", "seal", "unique" or "present"
	Other Role   // the stage that breaks it, if there is one
	Found string // what the plan has instead
}

func (e *OrderError) Error() string {
	switch e.Rule {
	case "after", "before":
		return fmt.Sprintf("pipeline: %q must come %s %q, but %s", e.Stage, e.Rule, e.Other, e.Found)
	case "seal":
		return fmt.Sprintf("pipeline: %q may not follow %q", e.Other, e.Stage)
	default:
		return fmt.Sprintf("pipeline: %q must be %s, but %s", e.Stage, e.Rule, e.Found)
	}
}

// Build checks the plan and freezes it into a [Chain]. It never sorts. It
// reports every broken rule at once; each is an [*OrderError].
func (p Plan) Build() (*Chain, error) {
	specs, err := p.specs()
	if err != nil {
		return nil, err
	}
	var broken []error
	for _, e := range slices.Concat(missing(specs), misplaced(specs)) {
		broken = append(broken, e)
	}
	if len(broken) > 0 {
		return nil, fmt.Errorf("%w\nchain was: %s", errors.Join(broken...), names(specs))
	}

	c := &Chain{log: p.Log}
	if c.log == nil {
		c.log = slog.New(slog.DiscardHandler)
	}
	for i, s := range p.Gates {
		c.gates = append(c.gates, step{specs[i].Role, s.Check})
	}
	specs = specs[len(p.Gates):]
	for i, s := range p.Actions {
		c.actions = append(c.actions, step{specs[i].Role, s.Act})
	}
	specs = specs[len(p.Actions):]
	for i, s := range p.Finalizers {
		c.finalizers = append(c.finalizers, step{specs[i].Role, s.Finish})
	}
	return c, nil
}

// specs reads every stage's Spec once, in the order the stages run.
func (p Plan) specs() ([]Spec, error) {
	var all []Stage
	for _, s := range p.Gates {
		all = append(all, s)
	}
	for _, s := range p.Actions {
		all = append(all, s)
	}
	for _, s := range p.Finalizers {
		all = append(all, s)
	}
	out := make([]Spec, len(all))
	for i, s := range all {
		if s == nil {
			return nil, fmt.Errorf("pipeline: stage #%d of the plan is nil", i+1)
		}
		out[i] = s.Spec()
	}
	return out, nil
}

// missing checks that all nine roles are there and that no role is there twice.
func missing(specs []Spec) []*OrderError {
	var broken []*OrderError
	count := map[Role]int{}
	for i, s := range specs {
		count[s.Role]++
		if s.Role == "" {
			broken = append(broken, &OrderError{Stage: s.Role, Rule: "named", Found: fmt.Sprintf("stage #%d has no role", i+1)})
		}
		if count[s.Role] == 2 {
			broken = append(broken, &OrderError{Stage: s.Role, Rule: "unique", Found: "two stages claim that role"})
		}
	}
	for _, r := range Roles() {
		if count[r] == 0 {
			broken = append(broken, &OrderError{Stage: r, Rule: "present", Found: "no stage has that role"})
		}
	}
	return broken
}

// misplaced checks what every stage says of the others' places.
func misplaced(specs []Spec) []*OrderError {
	var broken []*OrderError
	for i, s := range specs {
		for _, r := range s.After {
			if j := index(specs, r); j < 0 || j >= i {
				broken = append(broken, &OrderError{s.Role, "after", r, where(s.Role, i, r, j)})
			}
		}
		for _, r := range s.Before {
			if j := index(specs, r); j <= i {
				broken = append(broken, &OrderError{s.Role, "before", r, where(s.Role, i, r, j)})
			}
		}
		for _, next := range specs[i+1:] {
			if s.Seal && !slices.Contains(s.Before, next.Role) {
				broken = append(broken, &OrderError{Stage: s.Role, Rule: "seal", Other: next.Role})
			}
		}
	}
	return broken
}

func index(specs []Spec, r Role) int {
	return slices.IndexFunc(specs, func(s Spec) bool { return s.Role == r })
}

func where(self Role, i int, other Role, j int) string {
	if j < 0 {
		return fmt.Sprintf("the chain has no %q", other)
	}
	return fmt.Sprintf("%q is #%d and %q is #%d", self, i+1, other, j+1)
}

func names(specs []Spec) string {
	out := make([]string, len(specs))
	for i, s := range specs {
		out[i] = string(s.Role)
	}
	return strings.Join(out, " > ")
}
