/** The columns of a change that leave the database, for an alias `h`. */
export const HISTORY_COLUMNS = `
  h.scope_id, h.entry_id, h.key, h.revision, h.op, h.value,
  heddle.instant(h.expires_at) as expires_at, heddle.instant(h.changed_at) as changed_at,
  h.agent, h.user_name, h.session, h.run_id, h.model, h.compaction_generation, h.origin`

/** The expiry of an entry `e` that has run out and was not swept yet, as the sweeper will write it. */
export const DUE_EXPIRY_COLUMNS = `
  e.scope_id, e.entry_id, e.key, e.revision + 1 as revision, 'expire' as op, null::json as value,
  heddle.instant(e.expires_at) as expires_at, heddle.instant(e.expires_at) as changed_at,
  e.agent, e.user_name, e.session, e.run_id, e.model, e.compaction_generation, e.origin`
