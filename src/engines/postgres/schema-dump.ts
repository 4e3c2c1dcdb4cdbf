import type { PostgresEngine } from './engine.ts'
import type { Statement } from './statement.ts'

/**
 * One row per line of the dump. What differs between server versions for the same schema is left
 * out or written in one way: NOT NULL constraints (rows of their own since 18), owners, object ids.
 */
const SELECT_SCHEMA: Statement = {
  name: 'schema.select_all',
  text: `
    with relation as (
      select c.oid, c.relname as name, c.relkind, c.relrowsecurity, c.relforcerowsecurity, c.relacl, c.relowner
      from pg_class c where c.relnamespace = 'heddle'::regnamespace and c.relkind in ('r', 'p', 'v', 'm', 'S')
    ), line (object, part, name, text) as (
      select 'relation ' || name, 0, '', format('%s%s%s',
          case relkind when 'r' then 'table' when 'p' then 'partitioned table' when 'v' then 'view'
            when 'm' then 'materialized view' else 'sequence' end,
          case when relrowsecurity then ', row security' else '' end,
          case when relforcerowsecurity then ' forced' else '' end)
        from relation
      union all
      select 'relation ' || r.name, 1, to_char(a.attnum, 'FM0000'), format('%I %s%s%s', a.attname,
          format_type(a.atttypid, a.atttypmod),
          case when a.attnotnull then ' not null' else '' end,
          coalesce(case a.attgenerated when 's' then ' generated ' else ' default ' end
            || pg_get_expr(d.adbin, d.adrelid), ''))
        from relation r join pg_attribute a on a.attrelid = r.oid and a.attnum > 0 and not a.attisdropped
          left join pg_attrdef d on d.adrelid = r.oid and d.adnum = a.attnum
        where r.relkind <> 'S'
      union all
      select 'relation ' || r.name, 2, c.conname, format('constraint %I %s', c.conname, pg_get_constraintdef(c.oid))
        from relation r join pg_constraint c on c.conrelid = r.oid and c.contype <> 'n'
      union all
      select 'relation ' || r.name, 3, x.relname, pg_get_indexdef(i.indexrelid)
        from relation r join pg_index i on i.indrelid = r.oid join pg_class x on x.oid = i.indexrelid
        where not exists (select from pg_constraint c where c.conindid = i.indexrelid and c.contype in ('p', 'u', 'x'))
      union all
      select 'relation ' || r.name, 4, t.tgname, pg_get_triggerdef(t.oid)
        from relation r join pg_trigger t on t.tgrelid = r.oid and not t.tgisinternal
      union all
      select 'relation ' || r.name, 5, p.polname, format('policy %I for %s to %s%s%s', p.polname,
          case p.polcmd when 'r' then 'select' when 'a' then 'insert' when 'w' then 'update'
            when 'd' then 'delete' else 'all' end,
          (select string_agg(case oid when 0 then 'public' else pg_get_userbyid(oid)::text end, ', ' order by 1)
            from unnest(p.polroles) as oid),
          coalesce(' using (' || pg_get_expr(p.polqual, p.polrelid) || ')', ''),
          coalesce(' with check (' || pg_get_expr(p.polwithcheck, p.polrelid) || ')', ''))
        from relation r join pg_policy p on p.polrelid = r.oid
      union all
      select 'relation ' || r.name, 6, g.grantee::text, format('grant %s to %s',
          string_agg(lower(g.privilege_type), ', ' order by g.privilege_type), pg_get_userbyid(g.grantee))
        from relation r cross join lateral aclexplode(r.relacl) g
        where g.grantee <> r.relowner group by r.name, g.grantee
      union all
      select 'relation ' || r.name, 7, g.grantee || lower(g.privilege_type), format('grant %s (%s) to %s',
          lower(g.privilege_type), string_agg(quote_ident(a.attname), ', ' order by a.attnum), pg_get_userbyid(g.grantee))
        from relation r join pg_attribute a on a.attrelid = r.oid and a.attnum > 0
          cross join lateral aclexplode(a.attacl) g
        group by r.name, g.grantee, g.privilege_type
      union all
      select format('%s %s(%s)', case p.prokind when 'p' then 'procedure' else 'function' end, p.proname,
            pg_get_function_identity_arguments(p.oid)), 0, '',
          format('returns %s, %s, %s%s%s%s, body %s', coalesce(pg_get_function_result(p.oid), 'nothing'), l.lanname,
            case p.provolatile when 'i' then 'immutable' when 's' then 'stable' else 'volatile' end,
            case when p.prosecdef then ', security definer' else '' end,
            case p.proparallel when 's' then ', parallel safe' else '' end,
            coalesce(', set ' || array_to_string(p.proconfig, ', '), ''),
            md5(coalesce(pg_get_function_sqlbody(p.oid), p.prosrc)))
        from pg_proc p join pg_language l on l.oid = p.prolang where p.pronamespace = 'heddle'::regnamespace
      union all
      select format('%s %s(%s)', case p.prokind when 'p' then 'procedure' else 'function' end, p.proname,
            pg_get_function_identity_arguments(p.oid)), 1, '',
          'execute to ' || string_agg(case g.grantee when 0 then 'public' else pg_get_userbyid(g.grantee)::text end, ', '
            order by case g.grantee when 0 then 'public' else pg_get_userbyid(g.grantee)::text end)
        from pg_proc p
          cross join lateral aclexplode(coalesce(p.proacl, acldefault('f', p.proowner))) g
        where p.pronamespace = 'heddle'::regnamespace and g.grantee <> p.proowner
        group by p.oid, p.prokind, p.proname
      union all
      select 'type ' || t.typname, 0, '', case t.typtype
          when 'e' then 'enum ' || (select string_agg(quote_literal(e.enumlabel), ', ' order by e.enumsortorder)
            from pg_enum e where e.enumtypid = t.oid)
          else 'domain over ' || format_type(t.typbasetype, t.typtypmod) end
        from pg_type t where t.typnamespace = 'heddle'::regnamespace and t.typtype in ('e', 'd')
    )
    select object, text from line
    order by object collate "C", part, name collate "C", text collate "C"`,
  values: [],
}

/**
 * The schema as deterministic text: relations with columns, constraints, indexes, triggers, policies
 * and grants, functions with signature and a hash of their body. Equal on every engine.
 */
export async function dumpSchema(engine: PostgresEngine): Promise<string> {
  const rows = await engine.withOwner({ readOnly: true }, (tx) => tx.query(SELECT_SCHEMA))
  const lines: string[] = []
  let current = ''
  for (const row of rows) {
    const object = String(row['object'])
    if (object !== current) lines.push(...(current === '' ? [] : ['']), object)
    current = object
    lines.push(`  ${String(row['text'])}`)
  }
  return `${lines.join('\n')}\n`
}
