package killtest

import "example.com/mote/cloud/standin"

// prepaid purchases are answered with an order, which names its instance later.
var prepaid = fields{"chargeType": "Prepaid"}

// Faults that make an answer to a purchase one that says nothing.
var (
	lost       = standin.Fault{Action: "CreateInstances", Kind: standin.Cut, Times: 1}
	lostAfter  = standin.Fault{Action: "CreateInstances", Kind: standin.Cut, After: true, Times: 1}
	html       = standin.Fault{Action: "CreateInstances", Kind: standin.BadGateway, After: true, Times: 1}
	error500   = standin.Fault{Action: "CreateInstances", Kind: standin.ServerErr, After: true, Times: 1}
	empty      = standin.Fault{Action: "CreateInstances", Kind: standin.EmptyBody, After: true, Times: 1}
	truncated  = standin.Fault{Action: "CreateInstances", Kind: standin.Truncated, Times: 1}
	halfAnswer = standin.Fault{Action: "CreateInstances", Kind: standin.SlowBody, Delay: long, Times: 1}
	soldOut    = standin.Fault{Action: "CreateInstances", Kind: standin.ErrorCode, Code: "ResourceInsufficient.ResourceNotEnough", Times: 1}
	throttled  = standin.Fault{Action: "CreateInstances", Kind: standin.ErrorCode, Code: "RequestLimitExceeded", Times: 1}
)

// creation are the moments of a purchase, as docs/create-once.md names its steps.
var creation = []moment{
	before(secretMade, "before the Secret is written"),
	after(secretMade, "after the Secret is written"),
	asked("DescribeDBInstances", "in the look-up"),
	before(finalizerOn, "before the finalizer is on"),
	after(finalizerOn, "after the finalizer is on"),
	before(intent, "before the intent is written"),
	after(intent, "after the intent is written"),
	asked("CreateInstances", "during CreateInstances, which has no effect"),
	late("CreateInstances", "during CreateInstances, whose effect comes later"),
	effected("CreateInstances", "after CreateInstances' effect, before its answer"),
	call("in the middle of CreateInstances' answer", true, halfAnswer),
	unlisted("after CreateInstances' effect, listed only when looked for"),
	before(instanceID, "after CreateInstances' answer, before the id is written"),
	after(instanceID, "after the id is written"),
	unseen("after the id is written, before the cloud shows the instance"),
	before(unknownOutcome, "after a cut call, before that is written", lost),
	before(unknownOutcome, "after a cut call with effect, before that is written", lostAfter),
	before(unknownOutcome, "after an answer in HTML, before that is written", html),
	before(unknownOutcome, "after an error 500, before that is written", error500),
	before(unknownOutcome, "after an empty answer, before that is written", empty),
	before(unknownOutcome, "after a truncated answer, before that is written", truncated),
	after(unknownOutcome, "after it is written that the outcome is unknown", lost),
	after(unknownOutcome, "after it is written that the outcome is unknown, with effect", lostAfter),
	before(lookUpCounted, "in the grace period, before a look-up is counted", lost),
	after(lookUpCounted, "in the grace period, after a look-up is counted", lost),
	before(intentEnds, "after the grace period, before the intent is cleared", lost),
	after(intentEnds, "after the grace period, after the intent is cleared", lost),
	before(instanceID, "after a look-up has found it, before the id is written", lostAfter),
	before(intentEnds, "after a refusal, before that is written", soldOut),
	after(intentEnds, "after a refusal, after that is written", soldOut),
	before(finalizerOff, "after a refusal, before the finalizer is off", soldOut),
	before(intentEnds, "after a throttled purchase, before that is written", throttled),
	provisioning("while Provisioning"),
	before(secretChanged, "before the Secret has the address"),
	after(secretChanged, "after the Secret has the address"),
	before(showsRunning, "before Running is shown"),
	after(showsRunning, "after Running is shown"),

	asked("CreateInstances", "during CreateInstances, which has no effect (prepaid)").of(prepaid),
	effected("CreateInstances", "after CreateInstances' effect, before its answer (prepaid)").of(prepaid),
	before(orders, "after CreateInstances' answer, before the orders are written (prepaid)").of(prepaid),
	after(orders, "after the orders are written (prepaid)").of(prepaid),
	before(instanceID, "after the order names the instance, before the id is written (prepaid)").of(prepaid),
	after(instanceID, "after the id is written (prepaid)").of(prepaid),
}

// changes are the moments of a resize, an upgrade, and a new password.
var changes = []moment{
	asked("ModifyDBInstanceSpec", "during the resize's call, which has no effect").by(resize),
	late("ModifyDBInstanceSpec", "during the resize's call, whose effect comes later").by(resize),
	effected("ModifyDBInstanceSpec", "resize in flight, before its answer").by(resize),
	before(showsUpdating, "resize in flight, before that is shown").by(resize),
	after(showsUpdating, "resize in flight, after that is shown").by(resize),
	before(showsRunning, "after the resize, before that is shown").by(resize),
	asked("UpgradeDBInstanceKernelVersion", "during a minor upgrade's call, which has no effect").by(upgrade("14.13")),
	late("UpgradeDBInstanceKernelVersion", "during a minor upgrade's call, whose effect comes later").by(upgrade("14.13")),
	effected("UpgradeDBInstanceKernelVersion", "minor upgrade in flight, before its answer").by(upgrade("14.13")),
	asked("UpgradeDBInstanceMajorVersion", "during a major upgrade's call, which has no effect").by(upgrade("16")),
	effected("UpgradeDBInstanceMajorVersion", "major upgrade in flight, before its answer").by(upgrade("16")),
	before(secretMade, "before a lost Secret is made anew").by(loseSecret),
	after(secretMade, "after a lost Secret is made anew").by(loseSecret),
	asked("ResetAccountPassword", "during the new password's call, which has no effect").by(loseSecret),
	effected("ResetAccountPassword", "after the new password's effect, before its answer").by(loseSecret),
	before(secretChanged, "after the new password, before that is written").by(loseSecret),
}

// deletion are the moments of an end.
var deletion = []moment{
	asked("ModifyDBInstanceDeletionProtection", "before the protection is off").of(protected),
	effected("ModifyDBInstanceDeletionProtection", "after the protection is off, before the answer").of(protected),
	asked("IsolateDBInstances", "during the isolation's call, which has no effect"),
	late("IsolateDBInstances", "during the isolation's call, whose effect comes later"),
	effected("IsolateDBInstances", "isolation in flight, before its answer"),
	before(showsDeleting, "isolation in flight, before that is shown"),
	after(showsDeleting, "isolation in flight, after that is shown"),
	asked("DestroyDBInstance", "isolated; during the destruction's call, which has no effect"),
	late("DestroyDBInstance", "isolated; during the destruction's call, whose effect comes later"),
	effected("DestroyDBInstance", "destruction in flight, before its answer"),
	before(finalizerOff, "gone, before the finalizer is off"),
	after(finalizerOff, "gone, after the finalizer is off"),
	before(finalizerOff, "policy Isolate: isolated, before the finalizer is off").of(fields{"deletionPolicy": "Isolate"}),
}

// protected objects lift their protection when they are deleted.
var protected = fields{"deletionProtection": true}
