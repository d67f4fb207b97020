const aFixture = 'calls what the suite wants a server under test to have, by name: played with fixtures instead'
const noSession = 'needs a session or a stream on which the server speaks by itself: each POST is answered by itself, in JSON (behaviour 12.1)'

/** What cannot hold without sessions, which MCP leaves to the server. */
const withoutSessions = {
  'logging-set-level': noSession,
  'tools-call-with-logging': noSession,
  'tools-call-with-progress': noSession,
  'tools-call-sampling': noSession,
  'tools-call-elicitation': noSession,
  'elicitation-sep1034-defaults': noSession,
  'elicitation-sep1330-enums': noSession,
  'server-sse-multiple-streams': noSession,
  'server-sse-polling': noSession,
  'resources-subscribe': noSession,
  'resources-unsubscribe': noSession,
}

/** Scenarios that fail against the gateway, with the reason: all others hold, and one of these that held would be a fault too. */
export const failingAtTheDoor: Readonly<Record<string, string>> = {
  ...withoutSessions,
  'completion-complete': aFixture,
  'json-schema-2020-12': aFixture,
  'tools-call-simple-text': aFixture,
  'tools-call-image': aFixture,
  'tools-call-audio': aFixture,
  'tools-call-embedded-resource': aFixture,
  'tools-call-mixed-content': aFixture,
  'tools-call-error': aFixture,
  'resources-read-text': aFixture,
  'resources-read-binary': aFixture,
  'resources-templates-read': aFixture,
  'prompts-get-simple': aFixture,
  'prompts-get-with-args': aFixture,
  'prompts-get-embedded-resource': aFixture,
  'prompts-get-with-image': aFixture,
}

/** Those that fail against the fixtures over our transport. */
export const failingWithFixtures: Readonly<Record<string, string>> = {
  ...withoutSessions,
  'dns-rebinding-protection': 'the door refuses foreign names and pages, before the transport',
}
