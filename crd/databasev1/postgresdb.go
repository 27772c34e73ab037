package databasev1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// PostgresDB is one TencentDB for PostgreSQL instance, through its whole life.
//
// +kubebuilder:object:root=true
// +kubebuilder:resource:path=postgresdbs,singular=postgresdb,shortName=pgdb,categories={mote,databases}
// +kubebuilder:subresource:status
// +kubebuilder:selectablefield:JSONPath=".spec.site"
// +kubebuilder:selectablefield:JSONPath=".spec.region"
// +kubebuilder:selectablefield:JSONPath=".spec.engineVersion"
// +kubebuilder:selectablefield:JSONPath=".spec.instanceClass"
// +kubebuilder:selectablefield:JSONPath=".spec.deletionPolicy"
// +kubebuilder:selectablefield:JSONPath=".status.phase"
// +kubebuilder:selectablefield:JSONPath=".status.instanceID"
// +kubebuilder:printcolumn:name="Phase",type=string,JSONPath=".status.phase"
// +kubebuilder:printcolumn:name="Ready",type=string,JSONPath=".status.conditions[?(@.type=='Ready')].status"
// +kubebuilder:printcolumn:name="Version",type=string,JSONPath=".spec.engineVersion"
// +kubebuilder:printcolumn:name="Class",type=string,JSONPath=".spec.instanceClass"
// +kubebuilder:printcolumn:name="Storage",type=integer,JSONPath=".spec.storageGB"
// +kubebuilder:printcolumn:name="Endpoint",type=string,JSONPath=".status.endpoint"
// +kubebuilder:printcolumn:name="Age",type=date,JSONPath=".metadata.creationTimestamp"
// +kubebuilder:printcolumn:name="Instance",type=string,JSONPath=".status.instanceID",priority=1
// +kubebuilder:printcolumn:name="Region",type=string,JSONPath=".status.region",priority=1
// +kubebuilder:printcolumn:name="Site",type=string,JSONPath=".spec.site",priority=1
// +kubebuilder:printcolumn:name="Message",type=string,JSONPath=".status.conditions[?(@.type=='Ready')].message",priority=1
// +kubebuilder:validation:XValidation:rule="self.metadata.name.size() <= 52",message="metadata.name is at most 52 characters long, because the connection Secret is named after it"
// +kubebuilder:validation:XValidation:rule="self.spec.storageGB >= oldSelf.spec.storageGB || !has(oldSelf.status) || !has(oldSelf.status.instanceID)",fieldPath=".spec.storageGB",message="storageGB can grow but never shrink once the instance exists"
// +kubebuilder:validation:XValidation:rule="int(self.spec.engineVersion.split('.')[0]) >= int(oldSelf.spec.engineVersion.split('.')[0]) || !has(oldSelf.status) || !has(oldSelf.status.instanceID)",fieldPath=".spec.engineVersion",message="engineVersion cannot go back to an older major version once the instance exists"
type PostgresDB struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// spec is the database as it should be.
	// +required
	Spec PostgresDBSpec `json:"spec"`
	// status is the database as it was last seen.
	// +optional
	Status PostgresDBStatus `json:"status,omitempty"`
}

// PostgresDBSpec is the database as it should be.
//
// +kubebuilder:validation:XValidation:rule="(has(self.region) ? self.region : ”) == (has(oldSelf.region) ? oldSelf.region : ”)",message="region is immutable: create a new PostgresDB to move a database"
// +kubebuilder:validation:XValidation:rule="(has(self.zone) ? self.zone : ”) == (has(oldSelf.zone) ? oldSelf.zone : ”)",message="zone is immutable: create a new PostgresDB to move a database"
// +kubebuilder:validation:XValidation:rule="(has(self.vpcID) ? self.vpcID : ”) == (has(oldSelf.vpcID) ? oldSelf.vpcID : ”)",message="vpcID is immutable: create a new PostgresDB to move a database"
// +kubebuilder:validation:XValidation:rule="(has(self.site) ? self.site : ”) == (has(oldSelf.site) ? oldSelf.site : ”)",message="site is immutable: it decides which controller serves the database"
// +kubebuilder:validation:XValidation:rule="(has(self.instanceID) ? self.instanceID : ”) == (has(oldSelf.instanceID) ? oldSelf.instanceID : ”)",message="instanceID is immutable: it names the existing instance that was adopted"
type PostgresDBSpec struct {
	// engineVersion is the PostgreSQL version: a major ("14"), or a minor
	// ("14.1") which any later minor of the same major satisfies.
	// +required
	// +kubebuilder:validation:MaxLength=8
	// +kubebuilder:validation:XValidation:rule="self.matches('^[1-9][0-9]?([.][0-9]{1,3})?$')",message="engineVersion is a PostgreSQL version like '14' or '14.1', in quotes"
	EngineVersion string `json:"engineVersion"`

	// instanceClass is the size: CPU cores and GiB of memory, like "2C4G".
	// +required
	// +kubebuilder:validation:MaxLength=12
	// +kubebuilder:validation:XValidation:rule="self.matches('^[1-9][0-9]{0,3}C[1-9][0-9]{0,4}G$')",message="instanceClass is cores and GiB of memory like '2C4G'"
	InstanceClass string `json:"instanceClass"`

	// storageGB is the disk in GB, in steps of 10. A minimum: it grows, never shrinks.
	// +required
	// +kubebuilder:validation:XValidation:rule="self >= 10 && self <= 32000 && self % 10 == 0",message="storageGB is 10 to 32000 in steps of 10"
	StorageGB int32 `json:"storageGB"`

	// subnetID is the subnet that gives the database its address.
	// +required
	// +kubebuilder:validation:MaxLength=64
	// +kubebuilder:validation:XValidation:rule="self.matches('^subnet-[a-z0-9]+$')",message="subnetID looks like 'subnet-1a2b3c4d'"
	// +kubebuilder:validation:XValidation:rule="self == oldSelf",message="subnetID is immutable: create a new PostgresDB to move a database"
	SubnetID string `json:"subnetID"`

	// region is the cloud region, like "ap-guangzhou". Default: the controller's.
	// +optional
	// +kubebuilder:validation:MaxLength=32
	// +kubebuilder:validation:XValidation:rule="self.matches('^[a-z]+(-[a-z0-9]+)+$')",message="region looks like 'ap-guangzhou'"
	Region string `json:"region,omitempty"`

	// zone is the availability zone, like "ap-guangzhou-6". Default: the subnet's.
	// +optional
	// +kubebuilder:validation:MaxLength=40
	// +kubebuilder:validation:XValidation:rule="self.matches('^[a-z]+(-[a-z0-9]+)+-[0-9]+$')",message="zone looks like 'ap-guangzhou-6'"
	Zone string `json:"zone,omitempty"`

	// vpcID is the virtual network. Default: the subnet's.
	// +optional
	// +kubebuilder:validation:MaxLength=64
	// +kubebuilder:validation:XValidation:rule="self.matches('^vpc-[a-z0-9]+$')",message="vpcID looks like 'vpc-1a2b3c4d'"
	VPCID string `json:"vpcID,omitempty"`

	// site names the edge site whose controller serves this database.
	// +optional
	// +kubebuilder:validation:MaxLength=63
	// +kubebuilder:validation:XValidation:rule="self.matches('^[a-z0-9]([-a-z0-9]*[a-z0-9])?$')",message="site is lower-case letters, digits and '-', like 'edge-01'"
	Site string `json:"site,omitempty"`

	// chargeType is how the instance is paid for. Prepaid buys a month and renews itself.
	// +optional
	// +kubebuilder:validation:Enum=PostpaidByHour;Prepaid
	// +kubebuilder:default=PostpaidByHour
	// +kubebuilder:validation:XValidation:rule="self == oldSelf",message="chargeType is immutable: it is settled when the instance is bought"
	ChargeType string `json:"chargeType,omitempty"`

	// deletionPolicy says what deleting this object does to the instance.
	// Isolate stops it and its billing and leaves the data in the cloud's recycle
	// bin for 3 days (prepaid: 7); Delete destroys it at once; Retain leaves it
	// running, and billed.
	// +optional
	// +kubebuilder:validation:Enum=Isolate;Delete;Retain
	// +kubebuilder:default=Isolate
	DeletionPolicy string `json:"deletionPolicy,omitempty"`

	// deletionProtection is the cloud's own lock against deletion. While it is
	// true, deleting this object waits; set it to false to let the deletion go on.
	// +optional
	DeletionProtection bool `json:"deletionProtection,omitempty"`

	// adminUser is the database's administrator account.
	// +optional
	// +kubebuilder:default=dbadmin
	// +kubebuilder:validation:MaxLength=16
	// +kubebuilder:validation:XValidation:rule="self.matches('^[A-Za-z_][A-Za-z0-9_]*$') && self != 'postgres' && !self.startsWith('pg_') && !self.startsWith('tencentdb_')",message="adminUser is 1 to 16 letters, digits and '_', not starting with a digit, 'pg_' or 'tencentdb_', and not 'postgres'"
	// +kubebuilder:validation:XValidation:rule="self == oldSelf",message="adminUser is immutable"
	AdminUser string `json:"adminUser,omitempty"`

	// connectionSecretName names the Secret with host, port, user, password,
	// dbname, sslmode and uri. Default: the object's name followed by "-connection".
	// +optional
	// +kubebuilder:validation:MaxLength=253
	// +kubebuilder:validation:XValidation:rule="self.matches('^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$')",message="connectionSecretName is a Secret's name: lower-case letters, digits, '-' and '.'"
	// +kubebuilder:validation:XValidation:rule="self == oldSelf",message="connectionSecretName is immutable"
	ConnectionSecretName string `json:"connectionSecretName,omitempty"`

	// securityGroupIDs are the security groups of the instance.
	// +optional
	// +listType=set
	// +kubebuilder:validation:MaxItems=5
	// +kubebuilder:validation:items:MaxLength=64
	// +kubebuilder:validation:XValidation:rule="self.all(g, g.matches('^sg-[a-z0-9]+$'))",message="each of securityGroupIDs looks like 'sg-1a2b3c4d'"
	SecurityGroupIDs []string `json:"securityGroupIDs,omitempty"`

	// tags are put on the instance beside Mote's own (mote-*).
	// +optional
	// +kubebuilder:validation:MaxProperties=40
	// +kubebuilder:validation:XValidation:rule="self.all(k, k.size() >= 1 && k.size() <= 127 && !k.startsWith('mote-') && !k.startsWith('tencent'))",message="a tag's key has 1 to 127 characters and does not start with 'mote-' or 'tencent'"
	// +kubebuilder:validation:XValidation:rule="self.all(k, self[k].size() <= 255)",message="a tag's value has at most 255 characters"
	Tags map[string]TagValue `json:"tags,omitempty"`

	// instanceID adopts an instance that exists already instead of buying one.
	// +optional
	// +kubebuilder:validation:MaxLength=64
	// +kubebuilder:validation:XValidation:rule="self.matches('^postgres-[a-z0-9]+$')",message="instanceID looks like 'postgres-1a2b3c4d'"
	InstanceID string `json:"instanceID,omitempty"`
}

// TagValue is the value of a tag on the instance.
//
// +kubebuilder:validation:MaxLength=255
type TagValue string

// PostgresDBStatus is the database as it was last seen.
type PostgresDBStatus struct {
	// phase sums the state up in a word.
	// +optional
	// +kubebuilder:validation:Enum=Pending;Provisioning;Running;Updating;Deleting;Failed
	Phase string `json:"phase,omitempty"`
	// instanceID is the cloud's id of the instance.
	// +optional
	InstanceID string `json:"instanceID,omitempty"`
	// region is where the instance is.
	// +optional
	Region string `json:"region,omitempty"`
	// endpoint is host:port of the private address.
	// +optional
	Endpoint string `json:"endpoint,omitempty"`
	// engineVersion is the version that runs.
	// +optional
	EngineVersion string `json:"engineVersion,omitempty"`
	// instanceClass is the size that runs.
	// +optional
	InstanceClass string `json:"instanceClass,omitempty"`
	// storageGB is the disk that the instance has.
	// +optional
	StorageGB int32 `json:"storageGB,omitempty"`
	// create is the open purchase: written before the call that buys, cleared
	// when its outcome is known.
	// +optional
	Create *CreateIntent `json:"create,omitempty"`
	// lastReconciled is when anything else in this status last changed.
	// +optional
	LastReconciled *metav1.Time `json:"lastReconciled,omitempty"`
	// observedGeneration is the generation of the spec that this status is about.
	// +optional
	ObservedGeneration int64 `json:"observedGeneration,omitempty"`
	// conditions tell more than the phase.
	// +optional
	// +listType=map
	// +listMapKey=type
	Conditions []metav1.Condition `json:"conditions,omitempty"`
}

// CreateIntent is a purchase that may have been made.
type CreateIntent struct {
	// name is the instance's name in the cloud, which look-ups search for.
	Name string `json:"name"`
	// startedAt is when the intent was written, before the call.
	StartedAt metav1.Time `json:"startedAt"`
	// ambiguousSince is when the outcome became unknown: the call's answer was
	// lost, or the controller restarted between the intent and the answer.
	// +optional
	AmbiguousSince *metav1.Time `json:"ambiguousSince,omitempty"`
	// cleanLookups counts the look-ups since then that found nothing.
	// +optional
	CleanLookups int32 `json:"cleanLookups,omitempty"`
	// orders are the deal names of a prepaid purchase whose instance id is not known yet.
	// +optional
	// +listType=atomic
	Orders []string `json:"orders,omitempty"`
}

// The phases of a PostgresDB.
const (
	PhasePending      = "Pending"
	PhaseProvisioning = "Provisioning"
	PhaseRunning      = "Running"
	PhaseUpdating     = "Updating"
	PhaseDeleting     = "Deleting"
	PhaseFailed       = "Failed"
)

// The deletion policies.
const (
	DeletionIsolate = "Isolate"
	DeletionDelete  = "Delete"
	DeletionRetain  = "Retain"
)

// Names that others may rely on.
const (
	Group    = "database.example.com"
	Version  = "v1"
	Resource = "postgresdbs"
	Kind     = "PostgresDB"
	// Finalizer is on an object while something in the cloud may exist for it.
	Finalizer = "database.example.com/instance"
)

// DefaultSecretSuffix follows the object's name in the connection Secret's default name.
const DefaultSecretSuffix = "-connection"
