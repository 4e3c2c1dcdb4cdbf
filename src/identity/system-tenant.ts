import type { TenantId } from '../core/ids.ts'

/** The built-in tenant that owns the one `global` scope; made by the first migration. */
export const SYSTEM_TENANT_ID = '00000000-0000-4000-8000-000000000001' as TenantId
