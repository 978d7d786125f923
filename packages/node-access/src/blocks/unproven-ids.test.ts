import { LiteServerError, type LiteServerPool, type QueryOptions } from '@shardwalk/liteserver'
import { masterchainId } from '@shardwalk/model'
import { expect, test } from 'vitest'
import { LiteClient } from '../lite-client.ts'
import { BlockTransactions } from './block-transactions.ts'
import { Blocks } from './blocks.ts'
import { Heads } from './heads.ts'

const INVENTED = { ...masterchainId(7), rootHash: Buffer.alloc(32, 1), fileHash: Buffer.alloc(32, 2) }

test.each<[string, (client: LiteClient) => Promise<unknown>]>([
  ['header', (client) => new Blocks({ client, heads: headsOf(client) }).header(INVENTED)],
  ['transactions', (client) => new BlockTransactions(client).list(INVENTED)],
])(
  'servers that do not find a block by its full id are not taken to lack older blocks: %s',
  async (_, ask) => {
    const asked: QueryOptions[] = []
    const queryFrom = async (name: string, _: unknown, options: QueryOptions) => {
      asked.push(options)
      throw new LiteServerError('here', name, 651, 'block is not in db')
    }
    const client = new LiteClient({ queryFrom } as unknown as LiteServerPool)
    await expect(ask(client)).rejects.toMatchObject({ serverCode: 651 })
    expect(asked).toMatchObject([{ unproven: true }])
  },
)

const headsOf = (client: LiteClient) => new Heads({ client, indexedSeqno: async () => undefined })
