import type { ActionRow } from '../row.ts'
import type { Address } from '../trace.ts'

/** JSON of the API. */
export type Json =
  | string
  | number
  | bigint
  | boolean
  | null
  | readonly Json[]
  | { readonly [key: string]: Json | undefined }
export type Details = { readonly [key: string]: Json | undefined }

export interface RenderContext {
  /** Name known for a marketplace or collection address. */
  readonly nameOf: (address: Address) => string | undefined
  /** Decides which EVAA assets are known. */
  readonly network: 'mainnet' | 'testnet'
}

export type Render = (row: ActionRow, context: RenderContext) => Details

/** An amount as a decimal string. Rows that went through JSON hold strings already. */
export const amount = (value: bigint | number | string | null | undefined): string | null =>
  value === null || value === undefined ? null : String(value)

/** An integer that the API prints as a JSON number: exactly, whatever its size. */
export function number(value: bigint | number | string | null | undefined): number | bigint | null {
  if (value === null || value === undefined) return null
  const exact = BigInt(value)
  const near = Number(exact)
  return Number.isSafeInteger(near) ? near : exact
}

export const orNull = <T>(value: T | null | undefined): T | null => value ?? null

/** `0x` and eight digits. */
export const opcodeText = (opcode: number | null | undefined): string | null =>
  opcode === null || opcode === undefined ? null : `0x${opcode.toString(16).padStart(8, '0')}`

/** Omits members that are null. */
export const present = (details: Details): Details =>
  Object.fromEntries(Object.entries(details).filter(([, value]) => value !== null && value !== undefined))
