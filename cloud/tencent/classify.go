package tencent

import (
	"errors"
	"net"

	"example.com/mote/cloud"
)

// Codes that more than the table asks for.
const (
	requestLimit    = "RequestLimitExceeded"
	signatureExpire = "AuthFailure.SignatureExpire"
)

// classes is the meaning of the cloud's codes: the longest entry that a code
// begins with counts. An entry ends at a dot of the code, unless it ends in
// "*". What no entry covers is Ambiguous, the class that assumes least.
//
// The codes are those of the API's documentation and the SDK's constants;
// their grouping is inferred from what they say.
var classes = map[string]cloud.Class{
	// Refused for its rate, before any effect.
	requestLimit: cloud.Throttled,
	"FailedOperation.OperateFrequencyLimitedError": cloud.Throttled,

	// An effect is possible. Most would be Ambiguous without an entry, too.
	"ClientError":        cloud.Ambiguous,
	"InternalError":      cloud.Ambiguous,
	"ServiceUnavailable": cloud.Ambiguous,
	"SystemError":        cloud.Ambiguous,
	"UnknownError":       cloud.Ambiguous,
	"DBError":            cloud.Ambiguous,
	"FlowError":          cloud.Ambiguous,
	"FailedOperation":    cloud.Ambiguous,
	// Faults inside the cloud, whatever family they were filed under.
	"OperationDenied.InternalTradeErrorErr":      cloud.Ambiguous,
	"UnknownParameter.CreateAuditLogFileError":   cloud.Ambiguous,
	"UnknownParameter.HttpError":                 cloud.Ambiguous,
	"UnknownParameter.InternalInnerServiceError": cloud.Ambiguous,

	// Not in this status of the instance.
	"OperationDenied.InstanceStatusLimitError":     cloud.Busy,
	"OperationDenied.InstanceStatusLimitOpError":   cloud.Busy,
	"OperationDenied.InstanceStatusDeniedError":    cloud.Busy,
	"OperationDenied.DTSInstanceStatusError":       cloud.Busy,
	"OperationDenied.ROGroupStatusError":           cloud.Busy,
	"OperationDenied.ROInstanceStatusLimitOpError": cloud.Busy,
	"ResourceUnavailable.InvalidInstanceStatus":    cloud.Busy,
	"InvalidInstanceStatus":                        cloud.Busy,
	"ResourceInUse":                                cloud.Busy,

	// Not by this caller.
	"AuthFailure":                               cloud.Denied,
	"UnauthorizedOperation*":                    cloud.Denied,
	"OperationDenied.CamDeniedError":            cloud.Denied,
	"OperationDenied.AccountOperationDenied":    cloud.Denied,
	"OperationDenied.InstanceAccessDeniedError": cloud.Denied,
	"FailedOperation.CamAuthFailed":             cloud.Denied,
	"FailedOperation.CamSigAndAuthError":        cloud.Denied,
	"FailedOperation.CamCheckResource*":         cloud.Denied,
	"IpNotInWhitelist":                          cloud.Denied,
	"IpInBlacklist":                             cloud.Denied,

	// Not until the spec or the account changes.
	"InvalidParameter*":        cloud.Refused,
	"MissingParameter":         cloud.Refused,
	"UnknownParameter":         cloud.Refused,
	"UnsupportedOperation":     cloud.Refused,
	"UnsupportedRegion":        cloud.Refused,
	"RegionNotSupported":       cloud.Refused,
	"LimitExceeded":            cloud.Refused,
	"OperationDenied":          cloud.Refused, // InsufficientBalanceError, UserNotAuthenticatedError, TradePermissionError, VpcDeniedError ...
	"ResourceUnavailable":      cloud.Refused, // VpcResourceNotFound, ResourceNoPermission
	"ResourceNotFound":         cloud.Refused, // a subnet, say; instances have entries of their own
	"StructParseFailed":        cloud.Refused,
	"InterfaceNameNotFound":    cloud.Refused,
	"InvalidAction":            cloud.Refused,
	"InvalidRequest":           cloud.Refused,
	"NoSuchProduct":            cloud.Refused,
	"NoSuchVersion":            cloud.Refused,
	"ActionOffline":            cloud.Refused,
	"UnsupportedProtocol":      cloud.Refused,
	"RequestSizeLimitExceeded": cloud.Refused,
	"InvalidPid":               cloud.Refused,

	// Not while there is none left.
	"ResourceInsufficient": cloud.SoldOut, // ResourceNotEnough

	// No such instance.
	"ResourceNotFound.InstanceNotFoundError": cloud.Gone,
	"InvalidParameterValue.InstanceNotExist": cloud.Gone,
	"InstanceNotExist":                       cloud.Gone,
	"OperationDenied.ResourceNotFoundError":  cloud.Gone,
	"OperationDenied.ResourceNotFundError":   cloud.Gone, // so spelled
}

// Classify says what the failure of an action means: from the cloud's code
// when there is one, and from err, the error of the transport (nil if none).
// It is a pure function.
func Classify(action, code string, err error) cloud.Class {
	if unsent(err) {
		return cloud.NotSent
	}
	class, ok := lookUp(code)
	switch {
	case !ok:
		return cloud.Ambiguous
	case class == cloud.Gone && !aboutInstance(action):
		return cloud.Refused // something else that the call names is missing
	}
	return class
}

// lookUp finds the longest entry for a code.
func lookUp(code string) (class cloud.Class, ok bool) {
	for end := len(code); end > 0; end-- {
		atDot := end == len(code) || code[end] == '.'
		if atDot {
			if class, ok = classes[code[:end]]; ok {
				return class, true
			}
		}
		if class, ok = classes[code[:end]+"*"]; ok {
			return class, true
		}
	}
	return "", false
}

// unsent says that the request has certainly not left: the transport knows it,
// or there was no name or no connection.
func unsent(err error) bool {
	var never neverSent
	var name *net.DNSError
	return errors.As(err, &never) || errors.As(err, &name) || dialFailed(err)
}
