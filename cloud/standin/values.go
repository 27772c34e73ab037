package standin

import (
	"regexp"
	"strings"
)

// The limits of single values, whatever call they come in.
const (
	maxTags, maxTagKey, maxTagValue = 50, 127, 255
	maxName                         = 59
)

var (
	accountName   = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]{0,15}$`)
	instanceName  = regexp.MustCompile(`^[A-Za-z0-9_-]+$`)
	securityGroup = regexp.MustCompile(`^sg-[a-z0-9]{8}$`)
)

// passwordSymbols are the special characters of a password.
const passwordSymbols = "()`~!@#$%^&*-+=_|{}[]:;'<>,.?/"

func outOfRange(name string, v int) *apiError {
	return fail("InvalidParameterValue.ParameterOutOfRange", "The value %d of parameter `%s` is out of range.", v, name)
}

func flag(name string, v int) *apiError {
	if v != 0 && v != 1 {
		return outOfRange(name, v)
	}
	return nil
}

func checkStorage(c *Class, gb int) *apiError {
	if gb < c.MinStorageGB || gb > c.MaxStorageGB || gb%10 != 0 {
		return fail("InvalidParameterValue.ParameterOutOfRange",
			"Storage must be %d to %d GB in steps of 10, not %d.", c.MinStorageGB, c.MaxStorageGB, gb)
	}
	return nil
}

func checkAccount(name string) *apiError {
	lower := strings.ToLower(name)
	if !accountName.MatchString(name) || lower == "postgres" || strings.HasPrefix(lower, "pg_") || strings.HasPrefix(lower, "tencentdb_") {
		return fail("InvalidParameterValue.InvalidAccountNameError", "The account name needs 1 to 16 letters, digits or underscores; "+
			"it cannot be postgres, nor begin with a digit, pg_ or tencentdb_.")
	}
	return nil
}

// checkPassword never repeats the password.
func checkPassword(p string) *apiError {
	if len(p) < 8 || len(p) > 32 {
		return fail("InvalidParameterValue.InvalidPasswordLengthError", "The password needs 8 to 32 characters.")
	}
	var lower, upper, digit, special bool
	for _, r := range p {
		switch {
		case 'a' <= r && r <= 'z':
			lower = true
		case 'A' <= r && r <= 'Z':
			upper = true
		case '0' <= r && r <= '9':
			digit = true
		case strings.ContainsRune(passwordSymbols, r):
			special = true
		default:
			return weakPassword()
		}
	}
	if !lower || !upper || !digit || !special || p[0] == '/' {
		return weakPassword()
	}
	return nil
}

func weakPassword() *apiError {
	return fail("InvalidParameterValue.InvalidPasswordValueError", "The password cannot begin with /, "+
		"and needs lower and upper case letters, digits and symbols of %s.", passwordSymbols)
}

func checkName(name string) *apiError {
	if len(name) > maxName {
		return fail("InvalidParameterValue.ParameterLengthLimitError", "The name is longer than %d characters.", maxName)
	}
	if !instanceName.MatchString(name) {
		return fail("InvalidParameterValue.ParameterCharacterError", "The name takes letters, digits, _ and - only.")
	}
	return nil
}

func checkTags(tags []tag) *apiError {
	if len(tags) > maxTags {
		return fail("LimitExceeded", "A resource takes at most %d tags, not %d.", maxTags, len(tags))
	}
	seen := map[string]bool{}
	for _, g := range tags {
		if g.TagKey == "" || seen[g.TagKey] {
			return fail("InvalidParameterValue.InvalidParameterValueError", "The tag key `%s` is empty or given twice.", g.TagKey)
		}
		if len(g.TagKey) > maxTagKey || len(g.TagValue) > maxTagValue {
			return fail("InvalidParameterValue.ParameterLengthLimitError", "The tag `%s` is too long.", g.TagKey)
		}
		seen[g.TagKey] = true
	}
	return nil
}

func checkSecurityGroups(ids []string) *apiError {
	for _, id := range ids {
		if !securityGroup.MatchString(id) {
			return fail("InvalidParameterValue.InvalidParameterValueError", "The security group `%s` is not valid.", id)
		}
	}
	return nil
}
