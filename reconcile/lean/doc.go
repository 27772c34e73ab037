// Package lean is a serializer that goes under the dynamic client where objects
// are only glanced at. It reads the JSON of lists and watch events and keeps what
// triage reads: apiVersion, kind, metadata without managedFields and other
// people's annotations, and the scalars of status. The rest is skipped byte by
// byte, never decoded: of 100,000 objects that is most of the time and nearly all
// of the garbage. Where a turn needs spec or status too, those are read whole, and
// the metadata is not. What a kind owns is read whole but for managedFields, a third
// of it.
//
// What may come in: apimachinery, client-go's rest and dynamic. Nothing that
// knows a kind.
package lean
