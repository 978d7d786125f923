import { Builder, buildDict, type Cell, EMPTY_CELL, serializeBoc } from '@shardwalk/cells'
import { afterAll, expect, test } from 'vitest'
import { slimConfig, TvmPool } from './index.ts'

const pool = new TvmPool({ threads: 1, timeoutMs: 30_000 })
afterAll(() => pool.close())

test('a getter can ask for the id of its network', async () => {
  const parameters = [
    [8n, new Builder().storeUint(0xc4, 8).storeUint(12, 32).storeUint(494, 64)],
    [19n, new Builder().storeInt(-239, 32)],
  ] as const
  const entries = parameters.map(([id, value]) => [id, new Builder().storeRef(value.endCell())] as const)
  const result = await pool.run({
    environment: pool.environment({ config: slimConfig(buildDict(entries, 32) as Cell) }),
    // DROP the method id; GLOBALID.
    code: serializeBoc(new Builder().storeBytes(Buffer.from('30f835', 'hex')).endCell()),
    data: serializeBoc(EMPTY_CELL),
    address: { workchain: 0, hash: Buffer.alloc(32, 1) },
    method: 'get_jetton_data',
    now: 1_700_000_000,
  })
  expect(result).toMatchObject({ ok: true, exitCode: 0, stack: [{ type: 'int', value: -239n }] })
})
