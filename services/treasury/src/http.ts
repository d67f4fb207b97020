import { mergeHandlers } from '@carapace/service'
import { internalHandlers } from './http/internal.ts'
import { paymentHandlers } from './http/payments.ts'
import { providerHandlers } from './http/provider.ts'
import { walletHandlers } from './http/wallets.ts'
import { x402Handlers } from './x402/http/handlers.ts'

export const http = mergeHandlers(walletHandlers, paymentHandlers, providerHandlers, x402Handlers, internalHandlers)
