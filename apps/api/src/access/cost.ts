import type { V2MethodName } from '@shardwalk/api-schema'

const METHOD_COSTS: Partial<Record<V2MethodName, number>> = {
  runGetMethod: 2,
  runGetMethodStd: 2,
  estimateFee: 2,
}

/** What an emulation counts as: it may run as many contracts as 256 calls of get-methods. */
export const EMULATION_COST = 5

/**
 * The number of requests that a call of the method counts as. Methods that run contracts cost more than
 * reads; the table is in docs/api-keys.md.
 */
export const methodCost = (name: V2MethodName): number => METHOD_COSTS[name] ?? 1
