//! # Decisions, dated
//!
//! **2026-11-30, JSON text at the boundary.** Every export takes and gives JSON text and no export is a class. A nested
//! JS value overflows the stack on its way in, a class handle outlives the instance it points into. An answer is
//! `{"ok"}` or `{"error"}`, so no JS value is thrown from wasm.
//!
//! **2026-11-30, the loader is ours.** The glue is wasm-bindgen's `bundler` target, which leaves instantiation to its
//! caller. After a trap `engine.ts` makes a new instance from the same compiled module; the glue of the `web` target
//! can't be given a second instance.
//!
//! **2026-11-30, a denial is decided first and settled second.** A person's no could settle the record in one write.
//! It goes through `decided` like a yes, so that the waiting run acknowledges it, and a dead one's place is taken.
//!
//! **2026-11-30, an exclusive store counts old records as infinitely old.** A store that one process can hold open knows
//! when it was opened; the gate would have to compare two clocks. So `ageMs` carries it, and a restart waits for no lease.
//!
//! **2026-11-30, a decision drops a lapsed owner.** Writing the decision makes the record young again; an owner whose
//! lease had lapsed would count as alive by it, and a restart would make the person wait for a lease after all.
//!
//! **2026-11-30, an instance knows what it holds.** A lease says what others may assume. Of its own calls a gate knows
//! better: one call at a time holds a record, and a process that was too busy to renew is not dead to itself.
//!
//! **2026-11-30, a repeated call asks before a grant or an endorsement is heard.** Judging comes first, so that a deny
//! is never missed; but a call that a person was asked about in this run shares their answer, although it would pass by
//! now. Otherwise the copy would run beside the original.
//!
//! **2026-11-30, a server's tool has the key `server/tool`.** In `tiers` and in `tools`. An entry of the bare name can
//! only tighten its tier, never ease it, and a tool name with a slash matches nobody.
//!
//! **2026-11-30, `request()` opens parked.** Nobody waits for a confirmation that `request` opened, so a decision on it
//! only moves it to `decided`; the framework's next `authorize` or `execute` of the same call picks the answer up.
//!
//! **2026-11-30, a decision is the call's terminal even when the run stops before the claim.** A person's answer has
//! been recorded then; a second terminal beside it would count the call twice.
