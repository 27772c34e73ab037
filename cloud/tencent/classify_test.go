package tencent

import (
	"context"
	"errors"
	"io"
	"net"
	"net/url"
	"os"
	"strings"
	"syscall"
	"testing"

	"example.com/mote/cloud"
)

// Every code that the API's documentation names, and what it means on a call
// about an instance.
var documented = map[cloud.Class]string{
	cloud.Throttled: `RequestLimitExceeded RequestLimitExceeded.UinLimitExceeded RequestLimitExceeded.IPLimitExceeded
		RequestLimitExceeded.GlobalRegionUinLimitExceeded FailedOperation.OperateFrequencyLimitedError`,

	cloud.Ambiguous: `ClientError ClientError.NetworkError ClientError.ParseJsonError ClientError.HttpStatusCodeError
		ClientError.IOError ClientError.TypeError
		InternalError InternalError.CgwError InternalError.CnsError InternalError.DBError InternalError.DatabaseAccessError
		InternalError.DfwError InternalError.FlowError InternalError.HttpError InternalError.InstanceDataError
		InternalError.InternalHttpServerError InternalError.JsonParseError InternalError.ListInstancesError
		InternalError.MarshalError InternalError.SystemError InternalError.TransactioBeginError
		InternalError.UnknownError InternalError.VpcError
		ServiceUnavailable SystemError UnknownError DBError FlowError
		FailedOperation FailedOperation.AllocateQuotasError FailedOperation.BaseNetworkAccessError
		FailedOperation.CMQResponseError FailedOperation.CdbCgwConnectError FailedOperation.CreateBasicNetworkDeniedError
		FailedOperation.CreateOrderFailed FailedOperation.DBError FailedOperation.DatabaseAccessError
		FailedOperation.FailedOperationError FailedOperation.FlowCreateError FailedOperation.GetPurchaseRecordFailed
		FailedOperation.GetSubnetError FailedOperation.GetVpcInfoError FailedOperation.InvalidTradeOperate
		FailedOperation.LimitOperation FailedOperation.ModifyResourceError FailedOperation.OssAccessError
		FailedOperation.PayOrderFailed FailedOperation.PostPaidUnblockError FailedOperation.PreCheckError
		FailedOperation.QueryDealFailed FailedOperation.QueryInstanceBatchError FailedOperation.QueryVpcFalied
		FailedOperation.ServiceAccessError FailedOperation.StorageMemoryCheckError FailedOperation.TradeAccessError
		FailedOperation.TradeCreateError FailedOperation.TradePayOrdersError FailedOperation.VPCResetServiceError
		OperationDenied.InternalTradeErrorErr UnknownParameter.HttpError UnknownParameter.InternalInnerServiceError
		UnknownParameter.CreateAuditLogFileError
		VpcError LimitOperation AccountNotExist SomethingNew Something.New`,

	cloud.Busy: `OperationDenied.InstanceStatusLimitError OperationDenied.InstanceStatusLimitOpError
		OperationDenied.InstanceStatusDeniedError OperationDenied.DTSInstanceStatusError
		OperationDenied.ROInstanceStatusLimitOpError OperationDenied.ROGroupStatusError
		ResourceUnavailable.InvalidInstanceStatus InvalidInstanceStatus ResourceInUse`,

	cloud.Denied: `AuthFailure AuthFailure.UnauthorizedOperation AuthFailure.SignatureExpire AuthFailure.SignatureFailure
		AuthFailure.SecretIdNotFound AuthFailure.TokenFailure AuthFailure.InvalidSecretId AuthFailure.InvalidAuthorization
		AuthFailure.MFAFailure UnauthorizedOperation UnauthorizedOperation.UserHasNoRealnameAuthentication
		UnauthorizedOperationSomehow OperationDenied.CamDeniedError OperationDenied.InstanceAccessDeniedError
		OperationDenied.AccountOperationDenied FailedOperation.CamAuthFailed FailedOperation.CamSigAndAuthError
		FailedOperation.CamCheckResourceError FailedOperation.CamCheckResourceFailed IpNotInWhitelist IpInBlacklist`,

	cloud.Refused: `InvalidParameter InvalidParameter.VpcNotFoundError InvalidParameter.TradeAccessDeniedError
		InvalidParameterValue InvalidParameterValue.BadSpec InvalidParameterValue.IllegalZone
		InvalidParameterValue.InvalidPasswordFormat InvalidParameterValue.InvalidInstanceVolume
		InvalidParameterValue.SpecNotRecognizedError InvalidParameterValue.AccountNotExist InvalidParameterCombination
		MissingParameter UnknownParameter UnsupportedOperation UnsupportedRegion RegionNotSupported
		LimitExceeded LimitExceeded.Quota
		OperationDenied OperationDenied.InsufficientBalanceError OperationDenied.UserNotAuthenticatedError
		OperationDenied.TradePermissionError OperationDenied.VpcDeniedError OperationDenied.UserNotInWhiteListError
		OperationDenied.PayModeError ResourceUnavailable.VpcResourceNotFound ResourceUnavailable.ResourceNoPermission
		ResourceNotFound StructParseFailed InterfaceNameNotFound InvalidAction NoSuchVersion UnsupportedProtocol`,

	cloud.SoldOut: `ResourceInsufficient ResourceInsufficient.ResourceNotEnough`,

	cloud.Gone: `ResourceNotFound.InstanceNotFoundError InvalidParameterValue.InstanceNotExist InstanceNotExist
		OperationDenied.ResourceNotFoundError OperationDenied.ResourceNotFundError`,
}

func TestClassifyCodes(t *testing.T) {
	for want, codes := range documented {
		for code := range strings.FieldsSeq(codes) {
			for _, name := range []string{"DestroyDBInstance", "DescribeDBInstanceAttribute", "ModifyDBInstanceSpec"} {
				if got := Classify(name, code, nil); got != want {
					t.Errorf("%s on %s is %s, want %s", code, name, got, want)
				}
			}
			onCreate := want
			if want == cloud.Gone {
				onCreate = cloud.Refused
			}
			for _, name := range []string{"CreateInstances", "DescribeSubnets", "DescribeOrders"} {
				if got := Classify(name, code, nil); got != onCreate {
					t.Errorf("%s on %s is %s, want %s", code, name, got, onCreate)
				}
			}
		}
	}
}

// A prefix ends at a dot: a longer word is another code.
func TestClassifyDoesNotMatchPartsOfWords(t *testing.T) {
	for _, code := range []string{"LimitExceededNot", "ResourceNotFoundYet", "AuthFailures", "InstanceNotExistsAnyMore", ""} {
		if got := Classify("CreateInstances", code, nil); got != cloud.Ambiguous {
			t.Errorf("%q is %s", code, got)
		}
	}
}

func TestClassifyTransport(t *testing.T) {
	refused := &net.OpError{Op: "dial", Net: "tcp", Err: os.NewSyscallError("connect", syscall.ECONNREFUSED)}
	reset := &net.OpError{Op: "read", Net: "tcp", Err: os.NewSyscallError("read", syscall.ECONNRESET)}
	in := func(err error) error { return &url.Error{Op: "Post", URL: "https://x/", Err: err} }
	for _, c := range []struct {
		what string
		err  error
		want cloud.Class
	}{
		{"connection refused", in(refused), cloud.NotSent},
		{"no such host", in(&net.DNSError{Err: "no such host", Name: "x", IsNotFound: true}), cloud.NotSent},
		{"no connection in time", in(neverSent{context.DeadlineExceeded}), cloud.NotSent},
		{"no answer in time", in(context.DeadlineExceeded), cloud.Ambiguous},
		{"reset while reading", in(reset), cloud.Ambiguous},
		{"closed", in(io.EOF), cloud.Ambiguous},
		{"anything", errors.New("anything"), cloud.Ambiguous},
	} {
		if got := Classify("CreateInstances", "ClientError.NetworkError", c.err); got != c.want {
			t.Errorf("%s is %s, want %s", c.what, got, c.want)
		}
	}
}
