import { findApiKey, hashApiKey } from '@shardwalk/db'
import { type ScratchDatabase, scratchDatabase } from '@shardwalk/testkit'
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest'
import type { Context } from '../context.ts'
import { keysCommand } from './keys.ts'

let scratch: ScratchDatabase
beforeAll(async () => {
  scratch = await scratchDatabase()
})
afterAll(() => scratch.close())
afterEach(() => vi.restoreAllMocks())

/** Runs the command and returns the lines it prints. */
async function run(...operands: string[]): Promise<string[]> {
  const lines: string[] = []
  vi.spyOn(console, 'log').mockImplementation((line) => void lines.push(String(line)))
  await keysCommand.run({
    settings: { databaseUrl: scratch.url, databaseWaitSeconds: 10 },
    operands,
  } as unknown as Context)
  return lines
}

test('a key is shown once, works at its rate, is listed without its secret and revoked by id', async () => {
  expect(await run('list')).toEqual(['There are no keys: the API is open.'])
  const key = (await run('create', 'alice', '2.5', '-239')).at(-1)!
  expect(await findApiKey(scratch.db, hashApiKey(key))).toMatchObject({
    account: 'alice',
    requestsPerSecond: 2.5,
    globalId: -239,
  })
  const [line] = await run('list')
  expect(line).toContain('alice, 2.5 requests per second, network -239')
  expect(line).not.toContain(key.slice(0, 20))
  expect(await run('revoke', '1')).toEqual([
    'Key 1 of alice is revoked.',
    'No key is left: the API is open again.',
  ])
  expect(await findApiKey(scratch.db, hashApiKey(key))).toBeUndefined()
  expect((await run('list'))[0]).toContain('revoked')
  await expect(run('revoke', '1')).rejects.toThrow('no key in force')
})

test('a key may be revoked by its full text, which is not printed', async () => {
  const key = (await run('create', 'bob')).at(-1)!
  await run('revoke', key)
  await expect(run('revoke', key)).rejects.toThrow(/^no key in force is "sw_.{8}"/)
})

test.each([
  [['create'], /create <account>/],
  [['create', 'a', '0'], /above 0/],
  [['create', 'a', '1e9'], /above 0/],
  [['create', 'a', '1', 'mainnet'], /global id/],
  [['revoke'], /give one of/],
  [['forget', '1'], /give one of/],
])('%j is refused with the reason', async (operands, message) => {
  await expect(run(...operands)).rejects.toThrow(message)
})
