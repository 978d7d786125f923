/**
 * The members of a JSON object with these lower-case names, absent ones left out. As in TON Center, names
 * match in any letter case; a member with the exact name goes before others.
 */
export function namedMembers<T>(
  object: Readonly<Record<string, T>>,
  names: readonly string[],
): Record<string, T> {
  const given = new Map(Object.entries(object).map(([name, value]) => [name.toLowerCase(), value]))
  for (const name of names) if (Object.hasOwn(object, name)) given.set(name, object[name]!)
  return Object.fromEntries(names.flatMap((name) => (given.has(name) ? [[name, given.get(name)!]] : [])))
}
