type JsonObject = Record<string, unknown>

const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

type Texts = Readonly<Record<string, string>>

/**
 * JSON schemas by name, with a description of every property that the texts of the schema have one for, by
 * `Schema.property` or `property`. What a schema says of the form of a value is kept behind it.
 */
export function describeProperties(schemas: JsonObject, textsOf: (schema: string) => Texts): JsonObject {
  const visit = (value: unknown, name: string): unknown => {
    if (Array.isArray(value)) return value.map((item) => visit(item, name))
    if (!isObject(value)) return value
    return Object.fromEntries(
      Object.entries(value).map(([key, item]) => [
        key,
        key === 'properties' && isObject(item) ? described(item, name) : visit(item, name),
      ]),
    )
  }
  const described = (properties: JsonObject, name: string): JsonObject =>
    Object.fromEntries(
      Object.entries(properties).map(([key, schema]) => {
        const texts = textsOf(name)
        const text = texts[`${name}.${key}`] ?? texts[key]
        const own = visit(schema, name) as JsonObject
        return [key, text === undefined ? own : { ...own, description: joined(text, own['description']) }]
      }),
    )
  return Object.fromEntries(Object.entries(schemas).map(([name, schema]) => [name, visit(schema, name)]))
}

/** A form begins with a small letter; a whole sentence says what the text would. */
const joined = (text: string, own: unknown): string =>
  typeof own !== 'string' ? text : /^[a-z0-9]/.test(own) ? `${text} Form: ${own}.` : own
