//! PostgresDB as a typed custom resource, and as the little of it that the tuned
//! form reads.

use std::collections::BTreeMap;

use k8s_openapi::apimachinery::pkg::apis::meta::v1::{Condition, Time};
use kube::CustomResource;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

#[derive(CustomResource, Clone, Debug, Deserialize, Serialize, JsonSchema)]
#[kube(
    group = "database.example.com",
    version = "v1",
    kind = "PostgresDB",
    plural = "postgresdbs",
    namespaced,
    status = "PostgresDBStatus"
)]
#[serde(rename_all = "camelCase")]
pub struct PostgresDBSpec {
    pub engine_version: String,
    pub instance_class: String,
    #[serde(rename = "storageGB")]
    pub storage_gb: i32,
    #[serde(rename = "subnetID")]
    pub subnet_id: String,
    pub region: Option<String>,
    pub zone: Option<String>,
    #[serde(rename = "vpcID")]
    pub vpc_id: Option<String>,
    pub site: Option<String>,
    pub charge_type: Option<String>,
    pub deletion_policy: Option<String>,
    pub deletion_protection: Option<bool>,
    pub admin_user: Option<String>,
    pub connection_secret_name: Option<String>,
    #[serde(rename = "securityGroupIDs", default)]
    pub security_group_ids: Vec<String>,
    #[serde(default)]
    pub tags: BTreeMap<String, String>,
    #[serde(rename = "instanceID")]
    pub instance_id: Option<String>,
}

#[derive(Clone, Debug, Default, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PostgresDBStatus {
    pub phase: Option<String>,
    #[serde(rename = "instanceID")]
    pub instance_id: Option<String>,
    pub region: Option<String>,
    pub endpoint: Option<String>,
    pub engine_version: Option<String>,
    pub instance_class: Option<String>,
    #[serde(rename = "storageGB")]
    pub storage_gb: Option<i32>,
    #[schemars(with = "Option<String>")]
    pub last_reconciled: Option<Time>,
    pub observed_generation: Option<i64>,
    #[serde(default)]
    #[schemars(with = "Vec<BTreeMap<String, String>>")]
    pub conditions: Vec<Condition>,
}

/// What the tuned form reads of a PostgresDB.
#[derive(CustomResource, Clone, Debug, Deserialize, Serialize, JsonSchema)]
#[kube(
    group = "database.example.com",
    version = "v1",
    kind = "PostgresDB",
    plural = "postgresdbs",
    root = "Glimpse",
    namespaced,
    status = "GlimpseStatus"
)]
pub struct GlimpseSpec {}

#[derive(Clone, Debug, Default, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct GlimpseStatus {
    #[serde(rename = "instanceID")]
    pub instance_id: Option<String>,
    pub observed_generation: Option<i64>,
}
