import type { AccountFacts, Address, OpenTrace } from '@shardwalk/actions'
import { CompiledQuery } from 'kysely'
import type pg from 'pg'
import type { Db } from '../database.ts'
import { KEPT_PLAN } from '../kept-plan.ts'
import { AddressBook } from './address-book.ts'
import { type KnownFacts, loadFacts, type ReadFacts } from './facts.ts'
import { factsReader } from './facts-reader.ts'

/**
 * What the tables know about the contracts that the classification of a trace asks for. The trace need not be
 * in them.
 */
export const factsOfTrace = (
  db: Db,
  trace: OpenTrace,
  known: KnownFacts,
): Promise<ReadonlyMap<Address, AccountFacts>> => loadFacts(readerOf(db), [trace], known)

/** Reads facts within the caller's transaction, if `db` is one. */
export const readerOf = (db: Db, book = new AddressBook()): ReadFacts =>
  factsReader({ client: clientOf(db), book, idOf: new Map() })

/**
 * Statements of facts are written for a client of the driver, to which they may not be bound here. One with a
 * name is worth a plan that is kept: planning its joins takes longer than running them.
 */
const clientOf = (db: Db): pg.ClientBase =>
  ({
    query: (statement: string | pg.QueryConfig, own?: unknown[]) => {
      const { name, text, values } =
        typeof statement === 'string' ? { text: statement, values: own } : statement
      return db.executeQuery(CompiledQuery.raw(name === undefined ? text : `${KEPT_PLAN} ${text}`, values))
    },
  }) as unknown as pg.ClientBase
