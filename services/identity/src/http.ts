import { mergeHandlers, sagaHandlers } from '@carapace/service'
import { adminHandlers } from './http/admin.ts'
import { challengeHandlers } from './http/challenges.ts'
import { credentialHandlers } from './http/credentials.ts'
import { discoveryHandlers } from './http/discovery.ts'
import { githubHandlers } from './http/github.ts'
import { heartbeatHandlers } from './http/heartbeats.ts'
import { internalHandlers } from './http/internal.ts'
import { migrationHandlers } from './http/migration.ts'
import { profileHandlers } from './http/profiles.ts'
import { registrationHandlers } from './http/registration.ts'
import { skillHandlers } from './http/skills.ts'

export const http = mergeHandlers(
  credentialHandlers,
  registrationHandlers,
  profileHandlers,
  discoveryHandlers,
  heartbeatHandlers,
  skillHandlers,
  githubHandlers,
  challengeHandlers,
  migrationHandlers,
  adminHandlers,
  internalHandlers,
  sagaHandlers,
)
