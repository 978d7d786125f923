import { afterAll, beforeAll, describe } from 'vitest'
import { blockLists } from './ground-truth/block-lists.ts'
import { byMessageLists } from './ground-truth/by-message-lists.ts'
import { ComparedChain } from './ground-truth/compared-chain.ts'
import { messageLists } from './ground-truth/message-lists.ts'
import { rowFacts } from './ground-truth/rows.ts'
import { transactionLists } from './ground-truth/transaction-lists.ts'

let chain: ComparedChain
beforeAll(async () => {
  chain = await ComparedChain.start()
})
afterAll(() => chain?.close())
const running = () => chain

describe('every row equals what @ton/core reads from the same bytes', () => rowFacts(running))
transactionLists(running)
messageLists(running)
byMessageLists(running)
blockLists(running)
