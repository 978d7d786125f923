// Multisig v2: orders made, signed and carried out.

import type { Slice } from '@shardwalk/cells'
import { MULTISIG } from '@shardwalk/contracts'
import { bodyAfterQuery, bodyWithQuery, cellToPlainBoc } from '../body.ts'
import { TON } from '../core/block.ts'
import { type Matcher, need } from '../core/matcher.ts'
import { as, call, either, over, tonWithComment } from '../core/pattern.ts'
import { factsOf } from '../facts.ts'
import type { Columns } from '../row.ts'

const loadTime = (slice: Slice): number => Number(slice.loadUintBig(48))

/**
 * `threshold:8 signers expiration:48 ^order approve_on_init:1 ...`; the dictionary stands with or without its
 * bit.
 */
function readApproveOnInit(body: Slice): boolean {
  body.skip(8)
  if (body.remainingBits % 2 === 0) body.skip(1)
  return body.skip(48).loadBit()
}

const createOrder: Matcher = {
  name: 'multisig_create_order',
  anchors: [MULTISIG.newOrder],
  pattern: over(call(MULTISIG.newOrder), as('init', call(MULTISIG.initOrder))),
  build({ anchor, captures, facts }) {
    const init = need(captures.find('init'), 'order')
    const order = need(factsOf(facts, init.destination).multisigOrder, 'multisig order')
    const { queryId, body } = bodyWithQuery(anchor)
    const data = {
      query_id: queryId,
      order_seqno: body.loadUintBig(256),
      is_created_by_signer: body.loadBit(),
      creator_index: body.loadUint(8),
      expiration_date: loadTime(body),
      order_boc: cellToPlainBoc(body.loadRefCell()),
      is_signed_by_creator: readApproveOnInit(bodyAfterQuery(init)),
    }
    const columns = (): Columns => ({
      source: anchor.source,
      destination: anchor.destination,
      destination_secondary: init.destination,
      multisig_create_order_data: data,
    })
    return { type: 'multisig_create_order', accounts: order.signers, columns }
  },
}

const approve: Matcher = {
  name: 'multisig_approve',
  anchors: [MULTISIG.approve, TON],
  pattern: over(
    either(call(MULTISIG.approve), tonWithComment('approve')),
    either(as('accepted', call(MULTISIG.approveAccepted)), as('rejected', call(MULTISIG.approveRejected))),
  ),
  build({ anchor, captures, facts }) {
    const order = need(factsOf(facts, anchor.destination).multisigOrder, 'multisig order')
    const rejected = captures.find('rejected')
    const data = {
      signer_index: anchor.isCall ? bodyAfterQuery(anchor).loadUint(8) : -1,
      exit_code: rejected ? bodyAfterQuery(rejected).loadUint(32) : 0,
    }
    const columns = (): Columns => ({
      source: anchor.source,
      destination: anchor.destination,
      multisig_approve_data: data,
    })
    const failed = captures.find('accepted') === undefined
    return { type: 'multisig_approve', failed, accounts: order.signers, columns }
  },
}

const execute: Matcher = {
  name: 'multisig_execute',
  anchors: [MULTISIG.execute],
  pattern: call(MULTISIG.execute),
  build({ anchor, facts }) {
    const order = need(factsOf(facts, anchor.source).multisigOrder, 'multisig order')
    const { queryId, body } = bodyWithQuery(anchor)
    const data = {
      query_id: queryId,
      order_seqno: body.loadUintBig(256),
      expiration_date: loadTime(body),
      approvals_num: body.loadUint(8),
      signers_hash: body.loadBytes(32).toString('base64'),
      order_boc: cellToPlainBoc(body.loadRefCell()),
    }
    const columns = (): Columns => ({
      source: anchor.source,
      destination: anchor.destination,
      multisig_execute_data: data,
    })
    return { type: 'multisig_execute', failed: anchor.failed, accounts: order.signers, columns }
  },
}

export const multisig: readonly Matcher[] = [createOrder, approve, execute]
