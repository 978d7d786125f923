import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { masterchainId } from '@shardwalk/model'
import { silentLogger } from '@shardwalk/observability'
import { expect, test } from 'vitest'
import { FullNodeSource } from './full-node-source.ts'

const hash = Buffer.alloc(32)
const source = (port: number, keyFile?: string) =>
  FullNodeSource.open({
    ...{ port, keyFile, host: '127.0.0.1', log: silentLogger },
    dht: { k: 3, a: 3, staticNodes: [] },
    zerostateId: { ...masterchainId(0), rootHash: hash, fileHash: hash },
  })

test('a port that is taken is an error that says which setting is to be changed', async () => {
  const other = createSocket('udp4').bind(0, '127.0.0.1')
  await once(other, 'listening')
  const { port } = other.address()
  await expect(source(port)).rejects.toMatchObject({
    code: 'udp_port_not_usable',
    message: expect.stringContaining(`${port} cannot be used (EADDRINUSE): set P2P_PORT`),
  })
  other.close()
})

test('a second process of one folder takes a port of its own, as a key of its own', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'full-nodes-'))
  const free = createSocket('udp4').bind(0, '127.0.0.1')
  await once(free, 'listening')
  const { port } = free.address()
  await new Promise<void>((resolve) => free.close(() => resolve()))
  const keyFile = join(folder, 'key')
  const [first, second] = [await source(port, keyFile), await source(port, keyFile)]
  expect(second.network.node.udp.id.equals(first.network.node.udp.id)).toBe(false)
  await Promise.all([first.close(), second.close()])
  await rm(folder, { recursive: true })
})
