package lean

import "example.com/mote/jsonscan"

// lastApplied is the annotation in which kubectl apply keeps an object once more.
const lastApplied = "kubectl.kubernetes.io/last-applied-configuration"

// Trim is an object's JSON with null for its managedFields and nothing in lastApplied: half
// of it, which nobody reads who does not write to it. It is in memory of its own.
func Trim(text []byte) ([]byte, error) {
	var out []byte
	s, kept := jsonscan.New(text), 0
	leaveOut := func(instead string) error {
		value, err := s.Raw()
		if err != nil {
			return err
		}
		from := cap(text) - cap(value) // it is a part of text
		out = append(append(out, text[kept:from]...), instead...)
		kept = from + len(value)
		return nil
	}
	err := s.Object(func(key []byte) error {
		if string(key) != "metadata" {
			return s.Skip()
		}
		return s.Object(func(key []byte) error {
			switch string(key) {
			case "managedFields":
				return leaveOut("null")
			case "annotations":
				return s.Object(func(key []byte) error {
					if string(key) == lastApplied {
						return leaveOut(`""`)
					}
					return s.Skip()
				})
			}
			return s.Skip()
		})
	})
	return append(out, text[kept:]...), err
}
