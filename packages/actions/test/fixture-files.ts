import { readdirSync, readFileSync } from 'node:fs'
import { gunzipSync } from 'node:zlib'
import type { TraceFile } from '../src/trace-file.ts'

const FIXTURES = new URL('../../../fixtures/', import.meta.url)
const TRACES = new URL('traces/', FIXTURES)
const ACTIONS = new URL('actions/', FIXTURES)

/** Names of the trace files: trace ids in URL-safe base64. */
export const traceNames = (): string[] =>
  readdirSync(TRACES)
    .filter((name) => name.endsWith('.json.gz'))
    .map((name) => name.slice(0, -'.json.gz'.length))
    .sort()

export const readTrace = (name: string): TraceFile =>
  JSON.parse(gunzipSync(readFileSync(new URL(`${name}.json.gz`, TRACES))).toString('utf8'))

/** A value that a row must have; the forms are described in the README of fixtures/actions. */
export type Expected =
  | null
  | boolean
  | string
  | number
  | { readonly op: 'int_eq'; readonly value: string }
  | { readonly op: 'num_eq'; readonly value: number }
  | { readonly op: 'same_items'; readonly items: readonly Expected[] }
  | { readonly op: 'has_fields'; readonly fields: Readonly<Record<string, Expected>> }

export interface Condition {
  readonly path: string
  readonly op: 'eq' | 'ne' | 'empty'
  readonly value?: Expected
}

export interface Expectation {
  readonly type: string
  readonly select: readonly Condition[]
  readonly values: Readonly<Record<string, Expected>>
}

export interface SetupStep {
  readonly op: 'set_message_body' | 'throw_once'
  readonly transaction?: number
  readonly message?: number
  readonly value?: string
  readonly stage?: string
}

export interface Case {
  readonly case: string
  readonly trace_id: string
  readonly expected_actions: readonly Expectation[]
  readonly setup?: readonly SetupStep[]
  readonly expected_state?: string | null
  readonly expected_action_count?: number | { readonly op: 'gt'; readonly value: number }
  readonly every_action_type_in?: readonly string[]
}

export interface ExpectationFile {
  readonly protocol: string
  readonly cases: readonly Case[]
}

export const expectationFiles = (): ExpectationFile[] =>
  readdirSync(ACTIONS)
    .filter((name) => name.endsWith('.json'))
    .sort()
    .map((name) => JSON.parse(readFileSync(new URL(name, ACTIONS), 'utf8')))
