/** The columns of an entry that leave the database, for an alias `e`. */
export const ENTRY_COLUMNS = `
  e.scope_id, e.entry_id, e.key, e.value, e.revision, e.bytes,
  heddle.instant(e.expires_at) as expires_at, heddle.instant(e.inserted_at) as inserted_at,
  heddle.instant(e.updated_at) as updated_at,
  e.agent, e.user_name, e.session, e.run_id, e.model, e.compaction_generation, e.origin`

/** Which entries can be read now. The sub-select reads the clock once per statement. */
export const IS_LIVE = '(e.expires_at is null or e.expires_at > (select clock_timestamp()))'
