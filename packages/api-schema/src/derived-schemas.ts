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
const refTo = (name: string): { readonly $ref: string } => ({ $ref: `${PREFIX}${name}` })

const isVariant = (schema: unknown): schema is Variant => (schema as JsonObject)['extends'] !== undefined
const isUnion = (schema: unknown): schema is Union => Array.isArray((schema as JsonObject)['oneOf'])

/** What the types of action differ in. */
const OWN = ['type', 'details']

/**
 * Schemas in which each variant of a union, marked by `extends`, is described as the schema that it extends
 * and its own members, and in which a union names the member that tells which of its schemas holds.
 */
export function deriveSchemas(schemas: JsonObject): JsonObject {
  const derived: JsonObject = {}
  for (const [name, schema] of Object.entries(schemas))
    if (isVariant(schema)) {
      derived[schema.extends] ??= baseOf(schema)
      derived[name] = { allOf: [refTo(schema.extends), ownOf(schema)] }
    } else derived[name] = isUnion(schema) ? withDiscriminator(schema, schemas) : schema
  return derived
}

const baseOf = ({ properties, required }: Variant): JsonObject => ({
  type: 'object',
  properties: { ...properties, type: { type: 'string' }, details: { type: 'object' } },
  required,
})

const ownOf = ({ properties }: Variant): JsonObject => ({
  type: 'object',
  properties: Object.fromEntries(OWN.map((key) => [key, properties[key]])),
  required: OWN,
})

function withDiscriminator(union: Union, schemas: JsonObject): JsonObject {
  const mapping = union.oneOf.map(({ $ref }) => {
    const { properties } = schemas[$ref.replace(PREFIX, '')] as ObjectSchema
    return [(properties['type'] as { readonly const: string }).const, $ref]
  })
  return { ...union, discriminator: { propertyName: 'type', mapping: Object.fromEntries(mapping) } }
}
