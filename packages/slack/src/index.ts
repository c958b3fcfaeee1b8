export { startBot, type BotOptions, type RunningBot } from './start/start-bot.ts';
export { loadBotConfig, ConfigError, type BotConfig } from './start/config.ts';
export { openBotStore, type BotStore } from './start/open-bot-store.ts';
