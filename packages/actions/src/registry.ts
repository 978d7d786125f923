import { MatcherList } from './core/matcher.ts'
import { auctionBid, auctionOutbid } from './protocols/auctions.ts'
import { cocoon } from './protocols/cocoon.ts'
import { coffeeDeposit, coffeeSwap, coffeeWithdraw } from './protocols/coffee.ts'
import { coffeePools, coffeeStaking } from './protocols/coffee-pools.ts'
import { dedustSwap, dedustWithdrawal } from './protocols/dedust.ts'
import { cpmmRefusedSwap, cpmmSwap, cpmmWithdrawal } from './protocols/dedust-cpmm.ts'
import { cpmmClaims } from './protocols/dedust-cpmm-claims.ts'
import { cpmmDeposits } from './protocols/dedust-cpmm-deposit.ts'
import { dedustDeposits } from './protocols/dedust-deposit.ts'
import { dnsPurchase, dnsRecord, dnsRelease } from './protocols/dns.ts'
import { elections } from './protocols/elections.ts'
import { ethenaDeposit, ethenaWithdrawalRequest } from './protocols/ethena.ts'
import { evaaSupply, evaaWithdraw } from './protocols/evaa.ts'
import { evaaLiquidate } from './protocols/evaa-liquidation.ts'
import { hipo } from './protocols/hipo.ts'
import { jettonBurn, jettonMint, jettonTransfers } from './protocols/jettons.ts'
import { jvault } from './protocols/jvault.ts'
import { layerzero } from './protocols/layerzero.ts'
import { delayedLiquidWithdrawal, liquidDeposit, liquidWithdrawal } from './protocols/liquid-staking.ts'
import { multisig } from './protocols/multisig.ts'
import {
  cancelSale,
  discovery,
  endAuction,
  finishAfterPurchase,
  putOnMarket,
  updateSale,
} from './protocols/nft-market.ts'
import { nftMint } from './protocols/nft-mint.ts'
import { nftTransfers } from './protocols/nft-transfer.ts'
import { nominatorPools } from './protocols/nominators.ts'
import { stonfiSwap } from './protocols/stonfi-v1.ts'
import { stonfiV2Swap } from './protocols/stonfi-v2.ts'
import { stonfiV2Provide, stonfiV2Withdraw } from './protocols/stonfi-v2-liquidity.ts'
import { subscriptions } from './protocols/subscriptions.ts'
import { walletKey } from './protocols/telegram-wallet.ts'
import { teleitems } from './protocols/teleitems.ts'
import { tgbtc } from './protocols/tgbtc.ts'
import { toncoDeployPool, toncoSwap } from './protocols/tonco.ts'
import { toncoDeposit, toncoWithdraw } from './protocols/tonco-liquidity.ts'
import { vesting } from './protocols/vesting.ts'

/**
 * All matchers, in order. The order is part of the behaviour: each matcher works on the results of those
 * before it. NFT mints come first, so that later patterns see `nft_mint` where a protocol initialises an
 * item; liquid staking and DeDust deposits match raw jetton messages before the jetton matchers do;
 * withdrawals of other DEXes build on `jetton_burn`, EVAA, JVault and Coffee on `jetton_transfer`.
 */
export const MATCHERS = new MatcherList([
  nftMint,
  delayedLiquidWithdrawal,
  ...dedustDeposits,
  liquidDeposit,
  liquidWithdrawal,
  ...hipo,
  ...multisig,
  ...vesting,
  ...nominatorPools,
  ...jettonTransfers,
  dedustWithdrawal,
  jettonBurn,
  dedustSwap,
  stonfiSwap,
  stonfiV2Swap,
  toncoSwap,
  cpmmSwap,
  cpmmRefusedSwap,
  cpmmWithdrawal,
  ...cpmmDeposits,
  ...cpmmClaims,
  dnsRelease,
  dnsPurchase,
  updateSale,
  ...nftTransfers,
  putOnMarket,
  ...teleitems,
  discovery,
  dnsRecord,
  ...elections,
  ...subscriptions,
  auctionBid,
  auctionOutbid,
  cancelSale,
  finishAfterPurchase,
  endAuction,
  ethenaWithdrawalRequest,
  jettonMint,
  ethenaDeposit,
  stonfiV2Provide,
  stonfiV2Withdraw,
  ...jvault,
  evaaSupply,
  evaaWithdraw,
  evaaLiquidate,
  ...tgbtc,
  toncoDeposit,
  toncoDeployPool,
  toncoWithdraw,
  coffeeDeposit,
  coffeeSwap,
  coffeeWithdraw,
  ...coffeePools,
  ...coffeeStaking,
  ...layerzero,
  ...cocoon,
  walletKey,
])
