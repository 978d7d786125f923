/** Requests that run contracts cost more than reads. The table stands in docs/api-keys.md. */
const COSTS: readonly (readonly [RegExp, number])[] = [
  [/^\/api\/emulate\b/, 5],
  [/\/(runGetMethod|runGetMethodStd|estimateFee)$/, 2],
  // Documentation and health are free.
  [/^\/api\/v[23]\/?$/, 0],
  [/^\/api\/v[23]\/(index\.html|openapi\.json|doc\.json|healthcheck)$/, 0],
  [/\/healthz$/, 0],
]

/** How many requests one request counts as. `path`: without the query. */
export const costOf = (path: string): number => COSTS.find(([pattern]) => pattern.test(path))?.[1] ?? 1
