// Package pipeline runs a request through one ordered chain of stages. It is
// the contract between the stages, and it knows nothing of what they do.
//
// A stage is one of three kinds. A [Gate] decides and touches nothing, an
// [Action] touches the world, a [Finalizer] always runs:
//
//	parse > metachar > policy > jail  |  audit-attempt > exec  |  redact > truncate > audit-outcome
//	        gates (run and explain)   |   actions (run only)   |   finalizers (always)
//
// The order is part of the types and of each stage's [Spec]: [Plan.Build]
// refuses any other, so a chain that exists keeps its promises. A stage may
// refuse a request; none can skip, repeat or rewrite what another approved,
// because the facts of an [Exchange] are written once and handed out as copies.
// What a command printed reaches the client only as the [Text] that redact set:
// when redaction fails there is nothing to send.
package pipeline
