package myapp

// Labels and annotations of children.
const (
	// labelApp selects an app's pods. It is ours alone, so that no chart's pods
	// that happen to carry the common labels are ever selected. A Deployment's
	// selector can never be changed: this label is for ever.
	labelApp      = "mote.example.com/app"
	labelName     = "app.kubernetes.io/name"
	labelInstance = "app.kubernetes.io/instance"

	// annotationApplied is the hash of the manifest that was applied last. What
	// is live may contain all that is wanted and more: fields that were wanted
	// once. The hash tells.
	annotationApplied = "mote.example.com/applied"
	// annotationConfig is the hash of the config, on the pod template: a change
	// of it rolls the pods.
	annotationConfig = "mote.example.com/config-hash"
	// annotationReferences is that of the Secrets and ConfigMaps that the pods take
	// something from.
	annotationReferences = "mote.example.com/references-hash"
)

// Names within the pod.
const (
	containerName = "app"
	portName      = "http" // of the simple port
	configVolume  = "mote-config"
	configPath    = "/etc/config"
)

// Reasons of the Ready condition, and of Events.
const (
	reasonAvailable   = "Available"
	reasonStopped     = "Stopped"
	reasonProgressing = "Progressing"
	reasonDegraded    = "ReplicasUnavailable"
	// reasonStalled is also the Deployment's own word for it.
	reasonStalled        = "ProgressDeadlineExceeded"
	reasonReplicaFailure = "ReplicaFailure"
	reasonProbeFailed    = "ProbeFailed"
	reasonImagePull      = "ImagePullBackOff" // the kubelet's own word, as the next
	reasonCrashing       = "CrashLoopBackOff"
	reasonNotAllowed     = "NotAllowed"
	reasonNameConflict   = "NameConflict"
	reasonContested      = "Contested"
	reasonCorrected      = "Corrected" // of Events alone
	reasonMissing        = "ReferenceMissing"
	reasonWaiting        = "WaitingForDeletion"
	reasonRefused        = "Refused"
	reasonForbidden      = "Forbidden"
	reasonApplyFailed    = "ApplyFailed"
	reasonDeleting       = "Deleting"
)
