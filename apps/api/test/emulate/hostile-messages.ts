import { Address, beginCell, Cell, contractAddress, type StateInit, storeMessage } from '@ton/core'

export const code = (hex: string): Cell => beginCell().storeBuffer(Buffer.from(hex, 'hex')).endCell()

/** PUSHCONT {}; AGAIN */
export const ENDLESS = '90ea'
/** 0x18 in six bits, MYADDR, 111 zeros: a message to the contract itself, with all money (mode 64). */
export const SELF = '8018c8cb05f82801ce7001cb6ec98040fb00'

/** A message with any amount of money, which deploys that contract. */
export function deploying(init: StateInit, body = new Cell()): Cell {
  const message = {
    info: {
      ...{ type: 'internal', ihrDisabled: true, bounce: true, bounced: false },
      src: new Address(0, Buffer.alloc(32)),
      dest: contractAddress(0, init),
      value: { coins: 10n ** 18n },
      ...{ ihrFee: 0n, forwardFee: 0n, createdLt: 0n, createdAt: 0 },
    },
    init,
    body,
  } as Parameters<typeof storeMessage>[0]
  return beginCell().store(storeMessage(message)).endCell()
}

/** The same as an external message, which nobody has paid for. */
export function sentTo(init: StateInit, body = new Cell()): Cell {
  const dest = contractAddress(0, init)
  const info = { type: 'external-in', dest, importFee: 0n } as const
  return beginCell().store(storeMessage({ info, init, body })).endCell()
}

/** A tree of 2^depth cells in `depth` cells. */
export function bomb(depth: number): Cell {
  let cell = beginCell().storeUint(1, 8).endCell()
  for (let level = 0; level < depth; level++) cell = beginCell().storeRef(cell).storeRef(cell).endCell()
  return cell
}
