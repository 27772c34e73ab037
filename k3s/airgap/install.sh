#!/bin/sh
# Puts Mote on a k3s node without internet, and takes it off again. See README.md.
# POSIX sh; needs sha256sum, and k3s for what happens in the cluster.
set -eu

usage() {
	cat <<'EOF'
usage: ./install.sh [install] [--root DIR] [--manifests DIR | --replace]
       ./install.sh uninstall [--root DIR] [--keep-objects] [--timeout 15m] [--yes]

  --root DIR       top of the node's file system (default: /)
  --manifests DIR  install these, made by `mote manifests -o DIR`, in place of the bundle's
  --replace        install the bundle's manifests over others that are on the node
  --keep-objects   uninstall only the controller: databases, apps and their kinds stay
  --timeout 15m    how long each kind's objects may take to go
  --yes            do not ask

K3S names the k3s program where it is not in PATH. With a --root other than /, no
command is run in a cluster unless K3S is set.
EOF
}

say() { printf '%s\n' "$*"; }
die() {
	printf 'install.sh: %s\n' "$*" >&2
	exit 1
}
wrong() {
	printf 'install.sh: %s\n' "$*" >&2
	usage >&2
	exit 2
}

here=$(cd "$(dirname "$0")" && pwd)
verb=install root=/ manifests='' replace='' keep='' timeout=15m yes=''
case ${1-} in
install | uninstall) verb=$1 && shift ;;
esac
while [ $# -gt 0 ]; do
	case $1 in
	--root | --manifests | --timeout)
		if [ $# -lt 2 ] || [ -z "$2" ]; then wrong "$1 wants a value"; fi
		case $1 in
		--root) root=$2 ;;
		--manifests) manifests=$2 ;;
		--timeout) timeout=$2 ;;
		esac
		shift 2
		;;
	--replace) replace=1 && shift ;;
	--keep-objects) keep=1 && shift ;;
	--yes) yes=1 && shift ;;
	-h | --help) usage && exit 0 ;;
	*) wrong "there is no option $1" ;;
	esac
done
case $verb in
install) [ -z "$keep$yes" ] || wrong "--keep-objects and --yes belong to uninstall" ;;
uninstall) [ -z "$manifests$replace" ] || wrong "--manifests and --replace belong to install" ;;
esac
[ -z "$manifests" ] || [ -z "$replace" ] || wrong "--manifests and --replace exclude each other"
root=${root%/}

data=$root/var/lib/rancher/k3s
images=$data/agent/images
deploy=$data/server/manifests
# What was installed last: the manifests as they came, and the image's name. Not
# under k3s's own folder, which its deploy controller reads.
state=$root/var/lib/mote-airgap

# k3s, where a command can be run in the cluster; else nothing.
k3s=${K3S-}
[ -n "$k3s" ] || [ -n "$root" ] || k3s=$(command -v k3s || true)

[ -d "$data" ] || die "k3s is not on this node: there is no $data. Install k3s first, or name the node's file system with --root; nothing was changed."

# put copies a file in one step, so that k3s never sees half of one, and says what it did.
put() {
	if cmp -s "$1" "$2"; then
		say "  as it was  $2"
		return
	fi
	# The temporary name ends in no suffix that k3s reads.
	cp "$1" "$2.mote-new"
	chmod 644 "$2.mote-new"
	mv -f "$2.mote-new" "$2"
	say "  written    $2"
}

# drop removes a file, and says so.
drop() {
	[ -e "$1" ] || return 0
	rm -f "$1"
	say "  removed    $1"
}

# foreign names an installed manifest that is not as the last bundle brought it.
foreign() {
	for f in "$1"/*.yaml; do
		name=${f##*/}
		[ -e "$deploy/$name" ] || continue
		cmp -s "$deploy/$name" "$f" && continue
		cmp -s "$deploy/$name" "$state/manifests/$name" && continue
		say "$deploy/$name"
		return
	done
}

# remember_image notes which image is the node's. The one before it stays until the
# Deployment has changed over; the one before that is nobody's: k3s pins what it
# imported, so the kubelet would never take it away.
remember_image() {
	mkdir -p "$state"
	if [ -e "$state/IMAGE" ] && ! cmp -s "$here/IMAGE" "$state/IMAGE"; then
		if [ -e "$state/PREVIOUS" ] && ! cmp -s "$state/PREVIOUS" "$here/IMAGE"; then
			[ -z "$k3s" ] || "$k3s" ctr images rm "$(cat "$state/PREVIOUS")" >/dev/null 2>&1 || true
		fi
		mv -f "$state/IMAGE" "$state/PREVIOUS"
	fi
	cp "$here/IMAGE" "$state/IMAGE"
}

install_all() {
	(cd "$here" && sha256sum -c SHA256SUMS >/dev/null 2>&1) ||
		die "the bundle is damaged: \`sha256sum -c SHA256SUMS\` in $here says which file. Unpack or copy it again; nothing was changed."
	from=${manifests:-$here/manifests}
	server=''
	[ ! -d "$data/server" ] || server=1
	if [ -n "$server" ]; then
		set -- "$from"/*.yaml
		[ -e "$1" ] || die "there is no *.yaml in $from; nothing was changed."
		for f in "$@"; do
			case ${f##*/} in
			*_*) die "k3s takes no file with _ in its name: $f; nothing was changed." ;;
			esac
		done
		if [ -z "$manifests$replace" ]; then
			other=$(foreign "$from")
			[ -z "$other" ] || die "$other is not as a bundle brought it: it has settings of its own. Give yours for this version with --manifests DIR (mote manifests ... -o DIR), or take the bundle's with --replace; nothing was changed."
		fi
	fi

	# The image first: the Deployment must find it.
	mkdir -p "$images"
	put "$here/images/mote.tar" "$images/mote.tar"
	if [ -n "$k3s" ] && "$k3s" ctr version >/dev/null 2>&1; then
		"$k3s" ctr images import "$images/mote.tar" >/dev/null
		say "  imported   $(cat "$here/IMAGE")"
	else
		say "  k3s imports the image at its next start"
	fi
	remember_image
	if [ -z "$server" ]; then
		say "This node is no k3s server, so it got the image only; run this on a server too."
		return
	fi

	mkdir -p "$deploy" "$state/manifests"
	# By name, as k3s applies them: the kinds before what uses them.
	for f in "$from"/*.yaml; do
		put "$f" "$deploy/${f##*/}"
	done
	# What an earlier version brought and this one does not. k3s keeps its objects.
	for f in "$state/manifests"/*.yaml; do
		name=${f##*/}
		if [ ! -e "$f" ] || [ -e "$from/$name" ]; then continue; fi
		rm -f "$f"
		[ -e "$deploy/$name" ] || continue
		mkdir -p "$state/dropped"
		mv -f "$deploy/$name" "$state/dropped/$name"
		say "  removed    $deploy/$name, whose objects are still in the cluster."
		say "             To take them away: k3s kubectl delete -f '$state/dropped/$name'"
	done
	# The bundle's own, whatever was installed: so the next one knows others' settings.
	for f in "$from"/*.yaml; do
		if [ -n "$manifests" ]; then
			printf '# not of a bundle\n' >"$state/manifests/${f##*/}"
		else
			cp "$f" "$state/manifests/${f##*/}"
		fi
	done
	say "Installed $(cat "$here/IMAGE"). k3s applies the manifests within 15 seconds, or at its next start."
}

databases=postgresdbs.database.example.com
apps=myapps.example.com

kubectl() { "$k3s" kubectl "$@"; }

# known tells whether the cluster has the kind. It fails loudly when the cluster cannot be asked.
known() {
	found=$(kubectl get crd "$1" --ignore-not-found -o name) || die "the cluster cannot be asked (k3s kubectl get crd $1); nothing was changed."
	[ -n "$found" ]
}

# fate says what deleting every object would do, one line each; it returns 1 when one of
# them cannot be deleted.
fate() {
	held=0
	if known $databases; then
		list=$(kubectl get $databases -A -o 'jsonpath={range .items[*]}{.metadata.namespace}|{.metadata.name}|{.spec.deletionPolicy}|{.spec.deletionProtection}|{.metadata.annotations.mote\.example\.com/paused}|{.status.instanceID}{"\n"}{end}') ||
			die "the databases cannot be listed; nothing was changed."
		while IFS='|' read -r namespace name policy protected paused instance; do
			[ -n "$name" ] || continue
			case $policy in
			Delete) will="is DESTROYED AT ONCE, with its data" ;;
			Retain) will="goes on running and costing, and nothing manages it" ;;
			*) will="is stopped; its data waits 3 days in the cloud's recycle bin (prepaid: 7)" ;;
			esac
			[ -n "$instance" ] || instance="nothing was bought yet"
			say "  database $namespace/$name ($instance) $will"
			if [ "$protected" = true ]; then
				say "    but spec.deletionProtection is true: set it to false first"
				held=1
			fi
			if [ "$paused" = true ]; then
				say "    but it is paused: take the annotation mote.example.com/paused off first"
				held=1
			fi
		done <<EOF
$list
EOF
	fi
	if known $apps; then
		list=$(kubectl get $apps -A -o 'jsonpath={range .items[*]}{.metadata.namespace}/{.metadata.name}{"\n"}{end}') ||
			die "the apps cannot be listed; nothing was changed."
		for app in $list; do
			say "  app $app goes, with its pods"
		done
	fi
	return $held
}

# ask wants a yes from a person.
ask() {
	[ -z "$yes" ] || return 0
	printf '%s Type yes: ' "$1"
	answer=''
	read -r answer || true
	[ "$answer" = yes ] || die "not confirmed (--yes does not ask); nothing was changed."
}

# delete_objects deletes a kind's objects while the controller still runs, for it
# is the controller that does what their deletionPolicy says.
delete_objects() {
	known "$1" || return 0
	say "Deleting all $1, at most $timeout"
	kubectl delete "$1" --all --all-namespaces --ignore-not-found --wait=true --timeout="$timeout" ||
		die "not all of them are gone: \`k3s kubectl get $1 -A\` and their Ready conditions say why. The controller was left as it is, so that they can go; run this again when they are gone."
}

# retire takes a manifest's objects out of the cluster. The file goes first, or k3s
# would make them again; taking the file away alone would leave them.
retire() {
	[ -e "$1" ] || return 0
	kept=$state/retiring.${1##*/}
	mkdir -p "$state"
	mv -f "$1" "$kept"
	say "  removed    $1"
	[ -z "$k3s" ] || kubectl delete -f "$kept" --ignore-not-found --wait=true --timeout="$timeout" ||
		{ mv -f "$kept" "$1" && die "the objects of $1 could not be deleted; the file is back. Run this again."; }
	addon=${1##*/}
	[ -z "$k3s" ] || kubectl -n kube-system delete addons.k3s.cattle.io "${addon%.yaml}" --ignore-not-found >/dev/null 2>&1 || true
	rm -f "$kept"
}

uninstall_all() {
	[ -d "$data/server" ] || k3s=''
	if [ -n "$k3s" ] && [ -z "$keep" ]; then
		say "Uninstalling Mote deletes, on this whole cluster:"
		fate || die "what is held up above would stay for ever without the controller; nothing was changed."
		ask "Go on?"
		delete_objects $databases
		delete_objects $apps
	elif [ -n "$k3s" ]; then
		say "The controller goes; databases and apps stay as they are, and nothing manages them."
		ask "Go on?"
	else
		ask "No cluster can be asked from here, so only files are removed; objects stay. Go on?"
	fi
	# An interrupted uninstall goes on where it was.
	for kept in "$state"/retiring.*; do
		[ -e "$kept" ] && mv -f "$kept" "$deploy/${kept##*/retiring.}"
	done
	# The controller before its kinds: it must not see them vanish.
	for name in $(installed); do
		kinds "$deploy/$name" || retire "$deploy/$name"
	done
	if [ -z "$keep" ]; then
		for name in $(installed); do
			retire "$deploy/$name"
		done
	fi
	for file in IMAGE PREVIOUS; do
		if [ -n "$k3s" ] && [ -e "$state/$file" ]; then
			"$k3s" ctr images rm "$(cat "$state/$file")" >/dev/null 2>&1 || true
		fi
	done
	drop "$images/mote.tar"
	[ -n "$keep" ] || rm -rf "$state"
	say "Uninstalled."
}

# kinds tells whether a manifest holds the kinds, with which all objects go.
kinds() { grep -q '^kind: CustomResourceDefinition' "$1"; }

# installed are the names of the manifests that are on the node.
installed() {
	{
		for f in "$here/manifests"/*.yaml "$state/manifests"/*.yaml; do
			[ ! -e "$deploy/${f##*/}" ] || say "${f##*/}"
		done
	} | sort -u
}

case $verb in
install) install_all ;;
uninstall) uninstall_all ;;
esac
