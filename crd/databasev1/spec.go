package databasev1

// PostgresDBSpec is the database as it should be.
//
// +kubebuilder:validation:XValidation:rule="has(self.region) == has(oldSelf.region) && (!has(self.region) || self.region == oldSelf.region)",fieldPath=".region",message="region is immutable: create a new PostgresDB to move a database"
// +kubebuilder:validation:XValidation:rule="has(self.zone) == has(oldSelf.zone) && (!has(self.zone) || self.zone == oldSelf.zone)",fieldPath=".zone",message="zone is immutable: create a new PostgresDB to move a database"
// +kubebuilder:validation:XValidation:rule="has(self.vpcID) == has(oldSelf.vpcID) && (!has(self.vpcID) || self.vpcID == oldSelf.vpcID)",fieldPath=".vpcID",message="vpcID is immutable: create a new PostgresDB to move a database"
// +kubebuilder:validation:XValidation:rule="has(self.site) == has(oldSelf.site) && (!has(self.site) || self.site == oldSelf.site)",fieldPath=".site",message="site is immutable: it decides which controller serves the database"
// +kubebuilder:validation:XValidation:rule="has(self.instanceID) == has(oldSelf.instanceID) && (!has(self.instanceID) || self.instanceID == oldSelf.instanceID)",fieldPath=".instanceID",message="instanceID is immutable: it names the existing instance that is adopted when the object is made"
// +kubebuilder:validation:XValidation:rule="has(self.connectionSecretName) == has(oldSelf.connectionSecretName) && (!has(self.connectionSecretName) || self.connectionSecretName == oldSelf.connectionSecretName)",fieldPath=".connectionSecretName",message="connectionSecretName is immutable: apps read the Secret by that name"
// +kubebuilder:validation:XValidation:rule="!has(self.region) || !has(self.zone) || self.zone.startsWith(self.region + '-')",fieldPath=".zone",message="zone is not in region: 'ap-guangzhou-6' is a zone of 'ap-guangzhou'"
type PostgresDBSpec struct {
	// engineVersion is the PostgreSQL version: a major ("14"), or a minor
	// ("14.1") which any later minor of the same major satisfies. Raising it
	// upgrades the instance; there is no way back to an older major.
	// +required
	// +kubebuilder:validation:MaxLength=8
	// +kubebuilder:validation:XValidation:rule="self.matches('^[1-9][0-9]?([.][0-9]{1,3})?$')",message="engineVersion is a PostgreSQL version like '14' or '14.1', in quotes"
	EngineVersion string `json:"engineVersion"`

	// instanceClass is the size: CPU cores and GiB of memory, like "2C4G".
	// +required
	// +kubebuilder:validation:MaxLength=12
	// +kubebuilder:validation:XValidation:rule="self.matches('^[1-9][0-9]{0,3}C[1-9][0-9]{0,4}G$')",message="instanceClass is cores and GiB of memory like '2C4G'"
	InstanceClass string `json:"instanceClass"`

	// storageGB is the disk in GB: 10 to 32000 in steps of 10. It is a minimum
	// that can grow and never shrinks.
	// +required
	// +kubebuilder:validation:XValidation:rule="self >= 10 && self <= 32000 && self % 10 == 0",message="storageGB is 10 to 32000 in steps of 10"
	StorageGB int32 `json:"storageGB"`

	// subnetID is the subnet that gives the database its address, like
	// "subnet-1a2b3c4d". Immutable.
	// +required
	// +kubebuilder:validation:MaxLength=64
	// +kubebuilder:validation:XValidation:rule="self.matches('^subnet-[a-z0-9]+$')",message="subnetID looks like 'subnet-1a2b3c4d'"
	// +kubebuilder:validation:XValidation:rule="self == oldSelf",message="subnetID is immutable: create a new PostgresDB to move a database"
	SubnetID string `json:"subnetID"`

	// region is the cloud region, like "ap-guangzhou". Default: the controller's.
	// Immutable.
	// +optional
	// +kubebuilder:validation:MaxLength=32
	// +kubebuilder:validation:XValidation:rule="self.matches('^[a-z]+(-[a-z0-9]+)+$')",message="region looks like 'ap-guangzhou'"
	Region string `json:"region,omitempty"`

	// zone is the availability zone, like "ap-guangzhou-6". Default: the
	// subnet's. Immutable.
	// +optional
	// +kubebuilder:validation:MaxLength=40
	// +kubebuilder:validation:XValidation:rule="self.matches('^[a-z]+(-[a-z0-9]+)+-[0-9]+$')",message="zone looks like 'ap-guangzhou-6'"
	Zone string `json:"zone,omitempty"`

	// vpcID is the virtual network, like "vpc-1a2b3c4d". Default: the subnet's.
	// Immutable.
	// +optional
	// +kubebuilder:validation:MaxLength=64
	// +kubebuilder:validation:XValidation:rule="self.matches('^vpc-[a-z0-9]+$')",message="vpcID looks like 'vpc-1a2b3c4d'"
	VPCID string `json:"vpcID,omitempty"`

	// site names the edge site whose controller serves this database, like
	// "edge-01". Immutable.
	// +optional
	// +kubebuilder:validation:MaxLength=63
	// +kubebuilder:validation:XValidation:rule="self.matches('^[a-z0-9]([-a-z0-9]*[a-z0-9])?$')",message="site is lower-case letters, digits and '-', like 'edge-01'"
	Site string `json:"site,omitempty"`

	// chargeType is how the instance is paid for: by the hour, or Prepaid, which
	// buys a month and renews itself. Default: PostpaidByHour. Immutable.
	// +optional
	// +kubebuilder:validation:Enum=PostpaidByHour;Prepaid
	// +kubebuilder:default=PostpaidByHour
	// +kubebuilder:validation:XValidation:rule="self == oldSelf",message="chargeType is immutable: it is settled when the instance is bought"
	ChargeType string `json:"chargeType,omitempty"`

	// deletionPolicy says what deleting this object does to the instance.
	// Isolate stops it and its billing and leaves the data in the cloud's recycle
	// bin for 3 days (prepaid: 7); Delete destroys it at once; Retain leaves it
	// running, and billed. Default: Isolate.
	// +optional
	// +kubebuilder:validation:Enum=Isolate;Delete;Retain
	// +kubebuilder:default=Isolate
	DeletionPolicy string `json:"deletionPolicy,omitempty"`

	// deletionProtection is the cloud's own lock against deletion. While it
	// is true, deleting this object waits; false lifts the lock, also one that
	// was set in the cloud's console. Left out, the lock is left as it is.
	// +optional
	DeletionProtection *bool `json:"deletionProtection,omitempty"`

	// maintenanceWindow is the time of day in which a resize or an upgrade may
	// interrupt the database, like "02:00-04:00", by the cloud's clock (UTC+8); 30
	// minutes or longer. Left out: at once. Taking it out ends the wait of a change.
	// +optional
	// +kubebuilder:validation:MaxLength=11
	// +kubebuilder:validation:XValidation:rule="self.matches('^([01][0-9]|2[0-3]):[0-5][0-9]-([01][0-9]|2[0-3]):[0-5][0-9]$')",message="maintenanceWindow is two times of day like '02:00-04:00'"
	// +kubebuilder:validation:XValidation:rule="!self.matches('^([01][0-9]|2[0-3]):[0-5][0-9]-([01][0-9]|2[0-3]):[0-5][0-9]$') || (int(self.substring(6, 8)) * 60 + int(self.substring(9, 11)) - int(self.substring(0, 2)) * 60 - int(self.substring(3, 5)) + 1440) % 1440 >= 30",message="maintenanceWindow is 30 minutes or longer"
	MaintenanceWindow string `json:"maintenanceWindow,omitempty"`

	// adminUser is the database's administrator account: 1 to 16 letters, digits
	// and '_'. Default: dbadmin. Immutable.
	// +optional
	// +kubebuilder:default=dbadmin
	// +kubebuilder:validation:MaxLength=16
	// +kubebuilder:validation:XValidation:rule="self.matches('^[A-Za-z_][A-Za-z0-9_]*$') && self != 'postgres' && !self.startsWith('pg_') && !self.startsWith('tencentdb_')",message="adminUser is 1 to 16 letters, digits and '_', not starting with a digit, 'pg_' or 'tencentdb_', and not 'postgres'"
	// +kubebuilder:validation:XValidation:rule="self == oldSelf",message="adminUser is immutable: it is the account that the instance was bought with"
	AdminUser string `json:"adminUser,omitempty"`

	// connectionSecretName names the Secret with host, port, user, password,
	// dbname, sslmode and uri. Default: the object's name followed by
	// "-connection". Immutable.
	// +optional
	// +kubebuilder:validation:MaxLength=253
	// +kubebuilder:validation:XValidation:rule="self.matches('^[a-z0-9]([-a-z0-9]*[a-z0-9])?([.][a-z0-9]([-a-z0-9]*[a-z0-9])?)*$')",message="connectionSecretName is a Secret's name: lower-case letters, digits, '-' and '.'"
	ConnectionSecretName string `json:"connectionSecretName,omitempty"`

	// securityGroupIDs are the security groups of the instance, like
	// "sg-1a2b3c4d"; at most 5. Left out, they are left as they are.
	// +optional
	// +listType=set
	// +kubebuilder:validation:MaxItems=5
	// +kubebuilder:validation:items:MaxLength=64
	// +kubebuilder:validation:XValidation:rule="self.all(g, g.matches('^sg-[a-z0-9]+$'))",message="each of securityGroupIDs looks like 'sg-1a2b3c4d'"
	SecurityGroupIDs []string `json:"securityGroupIDs,omitempty"`

	// tags are put on the instance beside Mote's own (mote-*); at most 40. One that
	// is taken out of here is taken off the instance; those that others have put on
	// it stay.
	// +optional
	// +kubebuilder:validation:MaxProperties=40
	// +kubebuilder:validation:XValidation:rule="self.all(k, k.size() >= 1 && k.size() <= 127 && !k.startsWith('mote-') && !k.startsWith('tencent'))",message="a tag's key has 1 to 127 characters and does not start with 'mote-' or 'tencent'"
	Tags map[string]TagValue `json:"tags,omitempty"`

	// instanceID adopts an instance that exists already, like "postgres-1a2b3c4d",
	// instead of buying one. Immutable.
	// +optional
	// +kubebuilder:validation:MaxLength=64
	// +kubebuilder:validation:XValidation:rule="self.matches('^postgres-[a-z0-9]+$')",message="instanceID looks like 'postgres-1a2b3c4d'"
	InstanceID string `json:"instanceID,omitempty"`
}

// TagValue is the value of a tag on the instance.
//
// +kubebuilder:validation:MaxLength=255
type TagValue string

// The deletion policies.
const (
	DeletionIsolate = "Isolate"
	DeletionDelete  = "Delete"
	DeletionRetain  = "Retain"
)
