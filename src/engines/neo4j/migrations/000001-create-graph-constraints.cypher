// Ids are unique within a tenant, and every look-up names the tenant. Community edition has no
// existence constraints: a node without one of the properties would escape, so statements set all.

CREATE CONSTRAINT heddle_fact_tenant_version IF NOT EXISTS
FOR (fact:Fact) REQUIRE (fact.tenantId, fact.versionId) IS UNIQUE;

CREATE CONSTRAINT heddle_entity_tenant_entity IF NOT EXISTS
FOR (entity:Entity) REQUIRE (entity.tenantId, entity.entityId) IS UNIQUE;

CREATE CONSTRAINT heddle_name_tenant_name IF NOT EXISTS
FOR (name:Name) REQUIRE (name.tenantId, name.nameId) IS UNIQUE;

CREATE CONSTRAINT heddle_chunk_tenant_chunk IF NOT EXISTS
FOR (chunk:Chunk) REQUIRE (chunk.tenantId, chunk.chunkId) IS UNIQUE;

// The versions of one subject and predicate, in one scope: what every change and every read by
// subject starts from.
CREATE RANGE INDEX heddle_fact_subject_predicate IF NOT EXISTS
FOR (fact:Fact) ON (fact.tenantId, fact.scopeId, fact.subjectId, fact.predicate);

// All versions of one fact: history.
CREATE RANGE INDEX heddle_fact_fact IF NOT EXISTS
FOR (fact:Fact) ON (fact.tenantId, fact.scopeId, fact.factId);
