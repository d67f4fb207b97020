import { mergeHandlers } from '@carapace/service'
import { followHandlers } from './http/follows.ts'
import { internalHandlers } from './http/internal.ts'
import { messageHandlers } from './http/messages.ts'
import { reviewHandlers } from './http/reviews.ts'
import { reviewsAndFollowersHandlers } from './http/reviews-and-followers.ts'

export const http = mergeHandlers(followHandlers, messageHandlers, reviewHandlers, reviewsAndFollowersHandlers, internalHandlers)
