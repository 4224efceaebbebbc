import { createApp } from "vue";
import App from "./App.vue";
import "./style.css";
import "./chat.css";
import "./notes.css";

createApp(App).mount("#app");
