import type { AccountFacts, Address, OpenTrace } from '@shardwalk/actions'
import { CompiledQuery } from 'kysely'
import type pg from 'pg'
import type { Db } from '../database.ts'
import { AddressBook } from './address-book.ts'
import { loadFacts } from './facts.ts'

/**
 * What the tables know about the contracts that the classification of a trace asks for. The trace need not be
 * in them. `known`: facts from elsewhere, which lead to others.
 */
export const factsOfTrace = (
  db: Db,
  trace: OpenTrace,
  known: ReadonlyMap<Address, AccountFacts>,
): Promise<ReadonlyMap<Address, AccountFacts>> =>
  loadFacts({ client: clientOf(db), book: new AddressBook(), idOf: new Map() }, [trace], known)

/** Statements of facts are written for a client of the driver, to which they may not be bound here. */
const clientOf = (db: Db): pg.ClientBase =>
  ({
    query: (statement: string | pg.QueryConfig, values?: unknown[]) => {
      const { text, values: own } = typeof statement === 'string' ? { text: statement, values } : statement
      return db.executeQuery(CompiledQuery.raw(text, own))
    },
  }) as unknown as pg.ClientBase
