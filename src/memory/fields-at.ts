import { z } from 'zod'

type Path = readonly (string | number)[]

/** The names of the fields that a schema knows for the object at a path; none where it has no fixed ones. */
export function fieldsAt(schema: z.core.$ZodType, path: Path): readonly string[] {
  const here = unwrap(schema)
  const [part, ...rest] = path
  if (part === undefined) return here instanceof z.core.$ZodObject ? fieldsOf(here) : []
  const child = childOf(here, part)
  return child === undefined ? [] : fieldsAt(child, rest)
}

function fieldsOf(schema: z.core.$ZodObject): readonly string[] {
  return Object.keys(schema._zod.def.shape)
}

function childOf(schema: z.core.$ZodType, part: string | number): z.core.$ZodType | undefined {
  if (schema instanceof z.core.$ZodArray) return schema._zod.def.element
  if (schema instanceof z.core.$ZodRecord) return schema._zod.def.valueType
  if (!(schema instanceof z.core.$ZodObject)) return undefined
  const { shape } = schema._zod.def
  return Object.hasOwn(shape, part) ? shape[String(part)] : undefined
}

/** What is under optional, default and the first step of a pipe. */
function unwrap(schema: z.core.$ZodType): z.core.$ZodType {
  if (schema instanceof z.core.$ZodOptional || schema instanceof z.core.$ZodNullable)
    return unwrap(schema._zod.def.innerType)
  if (schema instanceof z.core.$ZodDefault) return unwrap(schema._zod.def.innerType)
  if (schema instanceof z.core.$ZodPipe) return unwrap(schema._zod.def.in)
  return schema
}
