import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { gunzipSync } from 'node:zlib'
import { COMPILED_ROOT } from '@shardwalk/testkit/runs'
import { expect, test } from 'vitest'

const ROOT = fileURLToPath(new URL('../../../', import.meta.url))
const STAKE = 'fixtures/traces/rbzKlyNgAhDnQ15r4tremaPVl_xURNgmSJQSyhGLSX4.json.gz'
const BURN = 'fixtures/traces/35MtsOa0weeyUpH8_9pk58WhIrOuyB6ycEH9lY-KhUY.json.gz'

const classify = (...files: readonly string[]) => classifyInput(undefined, ...files)
const classifyInput = (input: Buffer | undefined, ...files: readonly string[]) => {
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [join(COMPILED_ROOT, 'dist/apps/actions/src/main.js'), ...files],
    { cwd: ROOT, ...(input && { input }) },
  )
  return { status, stdout: stdout.toString(), stderr: stderr.toString() }
}

test('one JSON line per file, amounts as strings', () => {
  const { status, stdout } = classify(STAKE, BURN)
  const [stake, burn] = stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
  expect(status).toBe(0)
  expect(stake).toMatchObject({
    trace_id: 'rbzKlyNgAhDnQ15r4tremaPVl/xURNgmSJQSyhGLSX4=',
    state: 'ok',
    actions: [{ type: 'stake_deposit', amount: '10000000000', success: true }, { type: 'contract_deploy' }],
  })
  expect(burn.actions.map(({ type }: { type: string }) => type)).toContain('tgbtc_burn_fallback')
})

test('a file that is not a trace is reported, and the others are still classified', () => {
  const { status, stdout, stderr } = classify('package.json', 'missing.json', STAKE)
  expect(status).toBe(1)
  expect(stdout.trim().split('\n')).toHaveLength(1)
  expect(stderr).toMatch(/package\.json: format undefined, expected 1/)
  expect(stderr).toMatch(/missing\.json: ENOENT/)
})

test('a dash is standard input, compressed or not', () => {
  const packed = readFileSync(ROOT + STAKE)
  const [one, other] = [classifyInput(packed, '-'), classifyInput(gunzipSync(packed), BURN, '-')]
  expect([one.status, other.status]).toEqual([0, 0])
  expect(other.stdout.trim().split('\n')[1]).toBe(one.stdout.trim())
})

test('a damaged file is reported with the place, and the others are still classified', () => {
  const text = gunzipSync(readFileSync(ROOT + STAKE)).toString()
  const damaged = Buffer.from(text.replace(/"account": ?"[^"]*"/, '"account":"ALICE"'))
  const { status, stdout, stderr } = classifyInput(damaged, '-', BURN)
  expect(status).toBe(1)
  expect(stdout.trim().split('\n')).toHaveLength(1)
  expect(stderr).toMatch(/^-: transactions\[0\]\.account: expected an address .*, found "ALICE"$/m)
  expect(classifyInput(readFileSync(ROOT + STAKE).subarray(0, 500), '-').stderr).toMatch(
    /^-: unexpected end of file$/m,
  )
})

test('without files it prints its usage', () => {
  const { status, stderr } = classify()
  expect(status).toBe(1)
  expect(stderr).toMatch(/^usage: shardwalk classify/)
})
