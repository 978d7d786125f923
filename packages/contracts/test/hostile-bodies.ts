import { Builder, type Cell } from '@shardwalk/cells'
import { namedOpcodes } from '../src/index.ts'

const OPCODES = [...namedOpcodes()].map(([opcode]) => opcode)

/** A random tree of cells; nine of ten start with a real opcode, so that layouts fail deep inside. */
export function hostileBody(random: () => number): Cell {
  const isNamed = random() < 0.9
  const opcode = isNamed
    ? (OPCODES[Math.floor(random() * OPCODES.length)] as number)
    : Math.floor(random() * 2 ** 32)
  return fill(new Builder().storeUint(opcode, 32), random, 2)
}

function fill(builder: Builder, random: () => number, depth: number): Cell {
  const bytes = Buffer.alloc(Math.floor((random() * (1023 - builder.bits)) / 8))
  for (let i = 0; i < bytes.length; i++) bytes[i] = random() < 0.3 ? 0 : Math.floor(random() * 256)
  builder.storeBytes(bytes).storeUint(0, Math.floor(random() * Math.min(8, 1024 - builder.bits)))
  const refs = depth > 0 ? Math.floor(random() * 5) : 0
  for (let i = 0; i < refs; i++) builder.storeRef(fill(new Builder(), random, depth - 1))
  return builder.endCell()
}
