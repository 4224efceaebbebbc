//! # The pipeline of one call
//!
//! 1. The host hands the core a [`Setup`](crate::Setup) and a [`ToolCall`](crate::ToolCall). [`begin`](crate::begin)
//!    checks the arguments and asks for the first thing it does not know: the tier function's opinion, a policy source's
//!    verdict, the grants. The host answers with [`resume`](crate::resume) until the step is `Settled`.
//! 2. `allow` runs the tool, `deny` tells the model why. `confirm` opens a record: [`reduce`](crate::reduce) with
//!    `request`, saved before any event is emitted, so that a card a person can see is always recoverable.
//! 3. A person's answer is `decide`. The instance whose run waits sees it, judges the call again with the policy of that
//!    moment, and claims it; when that instance is gone, whoever decides or reads claims it instead. The claim carries a
//!    fence; only the fence's holder may `finish`.
//! 4. The result is stored before a run is resumed.
//!
//! Exactly one terminal per call: a permission event, or a decision.
