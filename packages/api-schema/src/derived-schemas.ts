type JsonObject = Record<string, unknown>

interface ObjectSchema extends JsonObject {
  readonly properties: JsonObject
  readonly required: readonly string[]
}
interface Variant extends ObjectSchema {
  readonly extends: string
}
interface Union extends JsonObject {
  readonly oneOf: readonly { readonly $ref: string }[]
}

const PREFIX = '#/components/schemas/'

const isVariant = (schema: unknown): schema is Variant => (schema as JsonObject)['extends'] !== undefined
const isUnion = (schema: unknown): schema is Union => Array.isArray((schema as JsonObject)['oneOf'])

/**
 * Schemas in which a union names the member that tells which of its schemas holds, and what its variants
 * have in common, which `extends` names, is a schema of its own. Variants have all members themselves and
 * do not refer to it: generators that make a discriminated union of Zod refuse `allOf` in one.
 */
export function deriveSchemas(schemas: JsonObject): JsonObject {
  const derived: JsonObject = {}
  for (const [name, schema] of Object.entries(schemas))
    if (isVariant(schema)) {
      const { extends: base, ...variant } = schema
      derived[base] ??= commonPart(variant)
      // For the reference, which shows once what they have in common.
      derived[name] = { ...variant, 'x-extends': base }
    } else derived[name] = isUnion(schema) ? withDiscriminator(schema, schemas) : schema
  return derived
}

/** What a variant has in common with the others of its union. */
export const commonPart = ({ properties, required }: ObjectSchema): JsonObject => ({
  type: 'object',
  properties: { ...properties, type: { type: 'string' }, details: { type: 'object' } },
  required,
})

function withDiscriminator(union: Union, schemas: JsonObject): JsonObject {
  const mapping = union.oneOf.map(({ $ref }) => {
    const { properties } = schemas[$ref.replace(PREFIX, '')] as ObjectSchema
    return [(properties['type'] as { readonly enum: readonly [string] }).enum[0], $ref]
  })
  return { ...union, discriminator: { propertyName: 'type', mapping: Object.fromEntries(mapping) } }
}
