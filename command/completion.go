package command

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"strings"
)

const completionArgs = "bash|zsh|fish"

// completionCommand is mote completion.
func completionCommand(_ context.Context, args []string, s surroundings) int {
	shells := map[string]func(io.Writer){"bash": bashCompletion, "zsh": zshCompletion, "fish": fishCompletion}
	if len(args) != 1 || shells[args[0]] == nil {
		if len(args) == 0 {
			return refuse(s.stderr, "completion", errors.New("which shell? bash, zsh or fish"))
		}
		return refuse(s.stderr, "completion", fmt.Errorf("is for one of bash, zsh and fish, but was given %q", strings.Join(args, " ")))
	}
	shells[args[0]](s.stdout)
	return exitOK
}

// option is a flag as a shell sees it.
type option struct {
	name, what string
	argument   string   // its name; "": it takes none
	values     []string // all there are; nil: they cannot be told
	files      bool
}

func (o option) String() string {
	if len(o.name) == 1 {
		return "-" + o.name
	}
	return "--" + o.name
}

// optionsOf are the flags of a command, read from where they are declared.
func optionsOf(c subcommand) (all []option) {
	if c.flags == nil {
		return nil
	}
	c.flags().VisitAll(func(f *flag.Flag) {
		o := option{name: f.Name}
		o.argument, o.what = flag.UnquoteUsage(f)
		o.what, _, _ = strings.Cut(o.what, " (")
		o.files = o.argument == "file" || o.argument == "folder" || o.argument == "directory" || f.Name == "f"
		if o.files && o.argument == "" || o.argument == "value" {
			o.argument = "value"
		}
		if o.argument == "format" || o.argument == "level" {
			_, list, _ := strings.Cut(o.what, ": ")
			if list == "" {
				list = o.what
			}
			o.values = strings.FieldsFunc(strings.NewReplacer(o.argument+":", "", " or ", ", ").Replace(list), func(r rune) bool { return r == ',' || r == ' ' })
		}
		if f.Name == "o" && outputs[c.name] != nil {
			o.argument, o.values = "format", outputs[c.name]
		}
		all = append(all, o)
	})
	return all
}

// nouns are what a command takes beside flags, as far as they can be told.
func nouns(c subcommand) []string {
	switch c.name {
	case "plan", "explain", "status":
		return []string{"pgdb/", "mapp/"}
	case "completion":
		return []string{"bash", "zsh", "fish"}
	}
	return nil
}

func bashCompletion(w io.Writer) {
	fmt.Fprint(w, `# bash completion of mote: source <(mote completion bash)
_mote() {
  local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]} words=
  if ((COMP_CWORD == 1)); then
    words="`+names()+`"
  else
    case ${COMP_WORDS[1]} in
`)
	for _, c := range subcommands() {
		fmt.Fprintf(w, "    %s)\n      case $prev in\n", c.name)
		all := nouns(c)
		for _, o := range optionsOf(c) {
			all = append(all, o.String())
			switch {
			case o.files:
				fmt.Fprintf(w, "      %s) COMPREPLY=($(compgen -f -- \"$cur\")); return ;;\n", o)
			case o.argument != "":
				fmt.Fprintf(w, "      %s) COMPREPLY=($(compgen -W \"%s\" -- \"$cur\")); return ;;\n", o, strings.Join(o.values, " "))
			}
		}
		fmt.Fprintf(w, "      esac\n      words=\"%s\" ;;\n", strings.Join(all, " "))
	}
	fmt.Fprint(w, `    esac
  fi
  COMPREPLY=($(compgen -W "$words" -- "$cur"))
  [[ ${COMPREPLY-} == */ ]] && compopt -o nospace 2>/dev/null
  return 0
}
complete -F _mote mote
`)
}

func names() string {
	var all []string
	for _, c := range subcommands() {
		all = append(all, c.name)
	}
	return strings.Join(all, " ")
}

// quoted is a text in single quotes, for any of the shells.
func quoted(s string) string { return "'" + strings.ReplaceAll(s, "'", "’") + "'" }

func zshCompletion(w io.Writer) {
	plain := strings.NewReplacer("[", "(", "]", ")", ":", ",", "\\", "")
	fmt.Fprint(w, "#compdef mote\n# zsh completion of mote: source <(mote completion zsh)\n_mote() {\n  local -a commands\n  commands=(\n")
	for _, c := range subcommands() {
		fmt.Fprintf(w, "    %s\n", quoted(c.name+":"+plain.Replace(c.what)))
	}
	fmt.Fprint(w, "  )\n  if (( CURRENT == 2 )); then\n    _describe command commands\n    return\n  fi\n  case $words[2] in\n")
	for _, c := range subcommands() {
		fmt.Fprintf(w, "  %s)\n    _arguments -s", c.name)
		for _, o := range optionsOf(c) {
			arg := ""
			switch {
			case o.files:
				arg = ":" + o.argument + ":_files"
			case len(o.values) > 0:
				arg = ":" + o.argument + ":(" + strings.Join(o.values, " ") + ")"
			case o.argument != "":
				arg = ":" + o.argument + ":"
			}
			fmt.Fprintf(w, " \\\n      %s", quoted(o.String()+"["+plain.Replace(o.what)+"]"+arg))
		}
		if n := nouns(c); n != nil {
			fmt.Fprintf(w, " \\\n      %s", quoted("*:name:("+strings.Join(n, " ")+")"))
		}
		fmt.Fprint(w, " ;;\n")
	}
	fmt.Fprint(w, "  esac\n}\ncompdef _mote mote\n")
}

func fishCompletion(w io.Writer) {
	fmt.Fprint(w, "# fish completion of mote: mote completion fish | source\ncomplete -c mote -f\n")
	for _, c := range subcommands() {
		fmt.Fprintf(w, "complete -c mote -n __fish_use_subcommand -a %s -d %s\n", c.name, quoted(c.what))
		seen := quoted("__fish_seen_subcommand_from " + c.name)
		for _, n := range nouns(c) {
			fmt.Fprintf(w, "complete -c mote -n %s -a %s\n", seen, n)
		}
		for _, o := range optionsOf(c) {
			kind := "l"
			if len(o.name) == 1 {
				kind = "s"
			}
			fmt.Fprintf(w, "complete -c mote -n %s -%s %s -d %s", seen, kind, o.name, quoted(o.what))
			switch {
			case o.files:
				fmt.Fprint(w, " -r -F")
			case len(o.values) > 0:
				fmt.Fprintf(w, " -x -a %s", quoted(strings.Join(o.values, " ")))
			case o.argument != "":
				fmt.Fprint(w, " -x")
			}
			fmt.Fprintln(w)
		}
	}
}
