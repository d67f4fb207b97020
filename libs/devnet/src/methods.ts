/**
 * How the door treats a method:
 *  pass    forwarded as it is
 *  raw     a signed transaction: journaled, then forwarded
 *  call    changes the chain by fiat (balance, code, …): journaled, then forwarded alone
 *  clock   moves the chain's time: journaled with the resulting offset
 *  mine    makes blocks, which are recorded before the answer
 *  drop    removes transactions from the pool
 *  rewrite changes history: forwarded alone and followed by a dump, since no replay could repeat it
 *  whole   reads the whole state: while anvil makes a block, it answers with the number of one block and the state of the next
 *  tip     what to pay besides the base fee: nothing where gas is free
 *  refuse  not served here
 */
export type Treatment = 'pass' | 'raw' | 'call' | 'clock' | 'mine' | 'drop' | 'rewrite' | 'whole' | 'tip' | 'refuse'

const unlockedAccounts = 'this node signs for nobody: sign the transaction and send it with eth_sendRawTransaction'
// anvil fills in a tip of 1 gwei, also where it then refuses any: clients do it by themselves when nobody does it for them.
const ownFees = 'fill in nonce, gas and fees from eth_getTransactionCount, eth_estimateGas and eth_maxPriorityFeePerGas'
const ownMining = 'blocks are mined on demand; evm_mine makes one'

/** Methods by the name they have, or would have, in the `evm_` namespace; anvil answers to several namespaces alike. */
const treatments = new Map<string, Treatment>([
  ['eth_sendRawTransaction', 'raw'],
  ['eth_sendRawTransactionSync', 'raw'],
  ['eth_maxPriorityFeePerGas', 'tip'],
  ['evm_increaseTime', 'clock'],
  ['evm_setTime', 'clock'],
  ['evm_setNextBlockTimestamp', 'clock'],
  ['evm_mine', 'mine'],
  ['evm_mine_detailed', 'mine'],
  ['evm_dropTransaction', 'drop'],
  ['evm_dropAllTransactions', 'drop'],
  ['evm_removePoolTransactions', 'drop'],
  ['evm_revert', 'rewrite'],
  ['evm_reorg', 'rewrite'],
  ['evm_rollback', 'rewrite'],
  ['evm_reset', 'rewrite'],
  ['evm_loadState', 'rewrite'],
  ['evm_snapshot', 'whole'],
  ['evm_nodeInfo', 'pass'],
  ['evm_metadata', 'pass'],
  ['evm_dumpState', 'whole'],
  ['evm_getAutomine', 'pass'],
  ['evm_getIntervalMining', 'pass'],
])

const refusals = new Map([
  ['eth_sendTransaction', unlockedAccounts],
  ['eth_sendTransactionSync', unlockedAccounts],
  ['eth_sendUnsignedTransaction', unlockedAccounts],
  ['wallet_sendTransaction', unlockedAccounts],
  ['evm_impersonateAccount', unlockedAccounts],
  ['evm_autoImpersonateAccount', unlockedAccounts],
  ['eth_fillTransaction', ownFees],
  ['evm_setAutomine', ownMining],
  ['evm_setIntervalMining', ownMining],
])

const nodeNamespaces = /^(anvil|hardhat|tenderly|evm)_/

const canonical = (method: string) => method.replace(nodeNamespaces, 'evm_')

/** The treatment of `method`. Unknown methods of the node's own namespaces are treated as state-changing. */
export function treatmentOf(method: string): Treatment {
  if (refusals.has(canonical(method))) return 'refuse'
  return treatments.get(canonical(method)) ?? (nodeNamespaces.test(method) ? 'call' : 'pass')
}

/** Why a method is refused. */
export function refusalOf(method: string): string {
  return `${method} is not served here: ${refusals.get(canonical(method))}`
}
