'use strict';

// What may import what: one row a part. Everything that a row does not name is an error.
const eventSourcing = 'libs/event-sourcing/';
const values = 'libs/(money|cards)/';
const domain = 'libs/([^/]+/domain|projections/repair)/';
const commands = 'libs/([^/]+/commands|keys|idempotency(?!/http)|installations)/(?!.*\\.module\\.ts$)';
const readModels = 'libs/[^/]+/read-models/';
const projections = 'libs/projections/(?!http/|projections\\.module)';
const gatewayPort = 'libs/gateway/(port|notices|index)[./]';
// What features see of the platform: how it logs, measures, waits and names outcomes, never HTTP or the configuration.
const platform = 'libs/platform/(?!configuration/|http/)';
const servesHttp = 'libs/(?!gateway/|eventstore-server/|platform/)[^/]+/http/';
const module_ = 'libs/(?!api/)[^/]+/[^/]+\\.module\\.ts$';
const pure = [eventSourcing, values, domain];

const parts = {
  'event-sourcing': {
    own: 'libs/event-sourcing/',
    may: [],
    npm: 'none',
    why: 'Event sourcing and nothing else: no package, no I/O, no payment.',
  },
  values: {
    own: values,
    may: [eventSourcing],
    npm: 'none',
    why: 'Money and cards are values: they know no feature and no package.',
  },
  domain: {
    own: domain,
    may: pure,
    npm: 'none',
    why: 'The domain is pure decisions: it knows other domains, and no package.',
  },
  commands: {
    own: commands,
    may: [...pure, commands, gatewayPort, platform],
    npm: 'nest',
    why: 'Command handlers load, decide and append: how an event is stored, shown or served is not theirs.',
  },
  'read-models': {
    own: readModels,
    may: [...pure, readModels, projections, platform],
    npm: 'nest',
    why: 'A read model is a function of events: it never issues commands and knows only the ports of the stores.',
  },
  projections: {
    own: 'libs/projections/(?!repair/|http/|projections\\.module)',
    may: [...pure, projections, platform],
    // Its specs project what there is.
    specsMay: [readModels],
    npm: 'nest',
    why: 'What follows the log, and works what is due, knows no payment.',
  },
  reactors: {
    own: 'libs/[^/]+/(reactor|delivery)/',
    may: [...pure, commands, readModels, projections, gatewayPort, platform, 'libs/webhooks/delivery/'],
    npm: 'nest',
    why: 'A reactor works a to-do list off through commands and ports.',
  },
  audit: {
    own: 'libs/audit/(?!domain/|http/|[^/]+\\.module\\.ts$)',
    may: [...pure, commands, readModels, projections, platform, 'libs/audit/'],
    npm: 'nest',
    why: 'The audit reads what there is, through the ports: nothing that is audited depends on it.',
  },
  gateway: {
    own: 'libs/gateway/',
    may: [values, eventSourcing, platform, 'libs/platform/http/html'],
    npm: 'nest',
    why: 'The gateway speaks of amounts and cards, not of payments: another gateway must be able to take its place.',
  },
  http: {
    own: servesHttp,
    may: [
      ...pure,
      commands,
      servesHttp,
      `${readModels}.*quer`,
      `${readModels}documents`,
      'libs/projections/administration/',
      'libs/platform/(?!configuration/)',
    ],
    npm: 'nest',
    why: 'HTTP turns requests into commands and queries: it reaches neither stores nor workers.',
  },
  modules: {
    own: module_,
    may: [...pure, commands, readModels, servesHttp, projections, platform, 'libs/platform/http/', module_],
    npm: 'nest',
    why: 'A module says what a feature serves; stores and the gateway come from the program.',
  },
  api: {
    own: 'libs/api/',
    may: [...pure, servesHttp, module_, 'libs/platform/(?!configuration/)'],
    specsMay: [commands, readModels],
    npm: 'nest',
    why: 'The API as a whole, and its reference: it knows what features serve, and not how.',
  },
  stores: {
    own: 'libs/stores/',
    may: [eventSourcing],
    // The adapter of EventStoreDB is held to its contract against our own server of that protocol.
    specsMay: ['libs/eventstore-server/'],
    npm: 'plain',
    why: 'An adapter stores events and documents of any kind: it knows the ports of event sourcing and no payment.',
  },
  'eventstore-server': {
    own: 'libs/eventstore-server/',
    may: [eventSourcing, 'libs/stores/sqlite/'],
    npm: 'plain',
    why: 'The server speaks a protocol for any log of events: it knows the embedded log, and nothing of payments.',
  },
  configuration: {
    own: 'libs/platform/configuration/',
    may: [],
    npm: 'plain',
    why: 'The configuration is read before anything else exists.',
  },
  platform: {
    own: 'libs/platform/(?!configuration/)',
    may: [eventSourcing, values, 'libs/platform/configuration/'],
    npm: 'nest',
    why: 'The platform carries any service: it imports no feature.',
  },
};

const spec = '\\.(spec|contract)\\.ts$';
// What only tests use: specs, contract suites, and the helpers beside them.
const testCode = `${spec}|/(testing|contracts?)/`;
// Specs use real adapters, in memory, and given/when/then; contract suites sit beside their port.
const testHelpers = [
  'libs/(event-sourcing|platform/(lifecycle|telemetry|testing))/',
  'libs/[^/]+/testing/',
  'libs/[^/]+/[^/]+/testing/',
  '\\.contract\\.ts$',
];

const anyOf = (patterns) => `^(${patterns.join('|')})`;

function rulesOf([name, { own, may, specsMay = [], why }]) {
  const outside = (allowed) => ({ path: '^(apps|libs|test)/', pathNot: allowed });
  return [
    {
      name: `${name}-imports`,
      comment: why,
      severity: 'error',
      from: { path: `^${own}`, pathNot: testCode },
      to: outside([anyOf([own, ...may])]),
    },
    {
      name: `${name}-spec-imports`,
      comment: `${why} Its tests may also use test helpers, the platform's clock and the stores in memory.`,
      severity: 'error',
      from: { path: `^${own}.*(${testCode})` },
      to: outside([anyOf([own, ...may, ...specsMay, ...testHelpers.slice(0, -1)]), ...testHelpers.slice(-1)]),
    },
  ];
}

const partsWith = (...kinds) => Object.values(parts).flatMap(({ own, npm }) => (kinds.includes(npm) ? [own] : []));

/** @type {import('dependency-cruiser').IConfiguration} */
module.exports = {
  forbidden: [
    ...Object.entries(parts).flatMap(rulesOf),
    {
      name: 'known-parts',
      comment: 'A new part needs a row in the table: until then it may import nothing of the others.',
      severity: 'error',
      from: { path: '^libs/', pathNot: [anyOf(Object.values(parts).map(({ own }) => own)), testCode] },
      to: { path: '^(apps|libs)/' },
    },
    {
      name: 'apps-are-roots',
      comment: 'An app is a composition root: nothing imports it, another app least of all.',
      severity: 'error',
      from: { path: '^(apps|libs|bench|scripts)/([^/]+)/' },
      to: { path: '^apps/', pathNot: '^$1/$2/' },
    },
    {
      name: 'no-test-code-in-the-product',
      comment: 'Specs, contract suites, test helpers and test/ are not part of a build.',
      severity: 'error',
      from: { path: '^(apps|libs)/', pathNot: testCode },
      to: { path: `^test/|${testCode}` },
    },
    {
      name: 'pure-libraries',
      comment:
        'Event sourcing, values and domains use no package and nothing of Node: they run anywhere and decide the same.',
      severity: 'error',
      from: { path: anyOf(partsWith('none')), pathNot: testCode },
      to: { pathNot: '^(apps|libs|test)/' },
    },
    {
      name: 'nest-stays-at-the-edge',
      comment: 'NestJS wires roles together; a library that can do without it can be used without it.',
      severity: 'error',
      from: { path: anyOf(partsWith('none', 'plain')) },
      to: { path: 'node_modules/@nestjs/' },
    },
    {
      name: 'no-circular',
      comment: 'A circle has no first file to read, and CommonJS hands out half-loaded modules in one.',
      severity: 'error',
      from: {},
      to: { circular: true, viaOnly: { dependencyTypesNot: ['type-only'] } },
    },
    {
      name: 'not-resolvable',
      comment: 'An import has to lead somewhere.',
      severity: 'error',
      from: {},
      to: { couldNotResolve: true },
    },
    {
      name: 'declared-packages-only',
      comment: 'A package that is not in dependencies is missing, or changes unseen, when only those are installed.',
      severity: 'error',
      from: { path: '^(apps|libs)/', pathNot: testCode },
      to: { dependencyTypes: ['npm-dev', 'npm-no-pkg', 'npm-unknown'], dependencyTypesNot: ['type-only'] },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'require', 'node', 'default', 'types'],
      mainFields: ['main', 'types'],
    },
  },
};
