package myapp

import (
	"strings"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
)

// refusal is a write that the API server did not do.
type refusal struct {
	reason, message string
	// again is when to try once more; 0: by backoff, because the same request
	// may well succeed in a moment.
	again time.Duration
}

// passing means that the fault is not in what was asked for.
func (r *refusal) passing() bool { return r.again == 0 }

// messageLimit keeps a server's message from filling a status.
const messageLimit = 1000

func shortened(message string) string {
	if len(message) > messageLimit {
		return strings.ToValidUTF8(message[:messageLimit], "") + "..."
	}
	return message
}

// refusalOf classifies an error of a write that is no Conflict.
func refusalOf(err error) *refusal {
	message := shortened(err.Error())
	switch {
	case apierrors.IsForbidden(err): // RBAC, quota, an admission plugin
		return &refusal{reason: reasonForbidden, message: message, again: outsideWait}
	case apierrors.IsInvalid(err), apierrors.IsBadRequest(err), apierrors.IsRequestEntityTooLargeError(err):
		return &refusal{reason: reasonRefused, message: message, again: refusedWait}
	}
	return &refusal{reason: reasonApplyFailed, message: message}
}
